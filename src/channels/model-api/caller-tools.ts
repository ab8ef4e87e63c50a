import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { nameIn, type ToolDefinition } from '#domain/tool/tool.ts';
import { jsonBytes, sortKeys } from './json-value.ts';

/** The most bytes of `tools` in formats that have no setting for it. */
export const MAX_TOOLS_BYTES = 262_144;
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const fields = {
  name: z.string().regex(TOOL_NAME),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish().describe('A JSON Schema.'),
  strict: z.boolean().nullish(),
};

const listOf = (tool: z.ZodObject, limit: string) =>
  z
    .array(tool)
    .nullish()
    .describe(`Functions that the caller runs, at most ${limit} of canonical JSON. Names are unique.`);

/** The published schemas of `tools`; `parseTools` checks them. */
export const callerTools = {
  flat: listOf(z.looseObject({ type: z.literal('function'), ...fields }), '`RESPONSES_TOOLS_MAX_BYTES` bytes'),
  nested: listOf(
    z.looseObject({ type: z.literal('function'), function: z.looseObject(fields) }),
    `${MAX_TOOLS_BYTES.toLocaleString('en-US')} bytes`,
  ),
};

/** Where a format has the fields of a tool: beside its type, or in an object `function`. */
type Layout = keyof typeof callerTools;

export type ToolRules = {
  /** Knows the names that a caller's tool must not have. */
  readonly isTaken: (name: string) => boolean;
  readonly maxBytes: number;
  readonly layout: Layout;
  /** Whether tools of other types than functions are refused, or passed over. */
  readonly unknownTools: 'refuse' | 'ignore';
  /** Tools that the service runs itself, which are not the caller's. */
  readonly isHosted?: (tool: unknown) => boolean;
};

/** The rules for a caller's tools; undefined when the request has none. On a resume, an empty list empties the catalog. */
export function parseTools(tools: unknown, rules: ToolRules): ToolDefinition[] | undefined {
  const { isTaken, maxBytes, layout, unknownTools, isHosted = () => false } = rules;
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) throw new InvalidRequest('invalid_tool', 'tools', 'tools must be an array.');
  checkSize(tools, maxBytes);

  const names = new Set<string>();
  const listed = tools.map((tool: unknown, index): ListedTool => ({ tool, param: `tools[${index}]` }));
  const all = listed.filter(({ tool }) => !isHosted(tool));
  return (unknownTools === 'ignore' ? all.flatMap(functionsIn) : all).map(({ tool, param: place, namespace }) => {
    const param = layout === 'flat' ? place : `${place}.function`;
    const definition = parseTool(functionOf(tool, place, layout), param, namespace);
    const { name } = definition;
    const refuse = (message: string) => new InvalidRequest('invalid_tool', `${param}.name`, message);
    if (names.has(name)) throw refuse(`The tool name "${name}" is used twice. Names must be unique within a request.`);
    if (isReservedName(name) || isTaken(name))
      throw refuse(`The tool name "${name}" is reserved by the service. Choose another one.`);
    names.add(name);
    return definition;
  });
}

type ListedTool = { readonly tool: unknown; readonly param: string; readonly namespace?: string };

/** The functions of a tool of any type: itself, or those in a namespace. */
function functionsIn({ tool, param }: ListedTool): ListedTool[] {
  if (!isObject(tool) || tool['type'] === 'function') return [{ tool, param }];
  const { type, name: namespace, tools } = tool;
  if (type !== 'namespace' || typeof namespace !== 'string' || !Array.isArray(tools)) return [];
  return tools.flatMap((inner: unknown, index) =>
    isObject(inner) && inner['type'] === 'function'
      ? [{ tool: inner, param: `${param}.tools[${index}]`, namespace }]
      : [],
  );
}

function checkSize(tools: unknown[], maxBytes: number): void {
  const bytes = canonicalBytes(tools);
  if (bytes === undefined || bytes > maxBytes)
    throw new InvalidRequest('invalid_tool', 'tools', `tools must not exceed ${maxBytes} bytes of canonical JSON.`);
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

function parseTool(tool: Record<string, unknown>, param: string, namespace?: string): ToolDefinition {
  const refuse = (field: string, message: string) => new InvalidRequest('invalid_tool', `${param}${field}`, message);
  const given = tool['name'];
  const name = namespace !== undefined && typeof given === 'string' ? nameIn(namespace, given) : given;
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    throw refuse('.name', 'A tool name must be 1 to 64 letters, digits, underscores or hyphens.');
  const { description = null, parameters = null, strict = null } = tool;
  if (description !== null && typeof description !== 'string')
    throw refuse('.description', 'description must be a string.');
  if (parameters !== null && !isObject(parameters))
    throw refuse('.parameters', 'parameters must be a JSON Schema object.');
  if (strict !== null && typeof strict !== 'boolean') throw refuse('.strict', 'strict must be true or false.');
  return { name, description, parameters, strict, ...(namespace !== undefined && { namespace }) };
}
