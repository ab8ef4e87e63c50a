import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { jsonBytes, sortKeys } from './json-value.ts';

const MAX_TOOLS_BYTES = 16_384;
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const fields = {
  name: z.string().regex(TOOL_NAME),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish().describe('A JSON Schema.'),
  strict: z.boolean().nullish(),
};

const listOf = (tool: z.ZodObject) =>
  z
    .array(tool)
    .nullish()
    .describe(
      `Functions that the caller runs, at most ${MAX_TOOLS_BYTES.toLocaleString('en-US')} bytes of canonical JSON. Names are unique.`,
    );

/** The published schemas of `tools`; `parseTools` checks them. */
export const callerTools = {
  flat: listOf(z.looseObject({ type: z.literal('function'), ...fields })),
  nested: listOf(z.looseObject({ type: z.literal('function'), function: z.looseObject(fields) })),
};

/** Where a format has the fields of a tool: beside its type, or in an object `function`. */
type Layout = keyof typeof callerTools;

/** The rules for a caller's tools; undefined when the request has none. On a resume, an empty list empties the catalog. */
export function parseTools(
  tools: unknown,
  isTaken: (name: string) => boolean,
  layout: Layout = 'flat',
): ToolDefinition[] | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) throw new InvalidRequest('invalid_tool', 'tools', 'tools must be an array.');
  checkSize(tools);

  const names = new Set<string>();
  return tools.map((tool, index) => {
    const param = layout === 'flat' ? `tools[${index}]` : `tools[${index}].function`;
    const definition = parseTool(functionOf(tool, `tools[${index}]`, layout), param);
    const { name } = definition;
    const refuse = (message: string) => new InvalidRequest('invalid_tool', `${param}.name`, message);
    if (names.has(name)) throw refuse(`The tool name "${name}" is used twice. Names must be unique within a request.`);
    if (isReservedName(name) || isTaken(name))
      throw refuse(`The tool name "${name}" is reserved by the service. Choose another one.`);
    names.add(name);
    return definition;
  });
}

function checkSize(tools: unknown[]): void {
  const bytes = canonicalBytes(tools);
  if (bytes === undefined || bytes > MAX_TOOLS_BYTES)
    throw new InvalidRequest(
      'invalid_tool',
      'tools',
      `tools must not exceed ${MAX_TOOLS_BYTES} bytes of canonical JSON.`,
    );
}

function canonicalBytes(tools: unknown[]): number | undefined {
  try {
    return jsonBytes(sortKeys(tools));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The object that has the fields of the tool. */
function functionOf(tool: unknown, param: string, layout: Layout): Record<string, unknown> {
  const refuse = (field: string, message: string) => new InvalidRequest('invalid_tool', `${param}${field}`, message);
  if (!isObject(tool)) throw refuse('', 'A tool must be an object.');
  if (tool['type'] !== 'function') throw refuse('.type', 'Only tools of type "function" are accepted.');
  if (layout === 'flat') return tool;
  if (!isObject(tool['function'])) throw refuse('.function', 'function must be an object with the name of the tool.');
  return tool['function'];
}

function parseTool(tool: Record<string, unknown>, param: string): ToolDefinition {
  const refuse = (field: string, message: string) => new InvalidRequest('invalid_tool', `${param}${field}`, message);
  const name = tool['name'];
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    throw refuse('.name', 'A tool name must be 1 to 64 letters, digits, underscores or hyphens.');
  const { description = null, parameters = null, strict = null } = tool;
  if (description !== null && typeof description !== 'string')
    throw refuse('.description', 'description must be a string.');
  if (parameters !== null && !isObject(parameters))
    throw refuse('.parameters', 'parameters must be a JSON Schema object.');
  if (strict !== null && typeof strict !== 'boolean') throw refuse('.strict', 'strict must be true or false.');
  return { name, description, parameters, strict };
}
