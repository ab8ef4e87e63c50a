import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { Principal } from '#domain/principal.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import { isShallow, jsonBytes } from './json-value.ts';

const MAX_SCHEMA_BYTES = 65_536;
const MAX_SCHEMA_DEPTH = 100;
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The published schema of a format; `parseFormat` checks it. */
export const outputFormat = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().regex(FORMAT_NAME).optional(),
    description: z.string().nullish(),
    schema: z
      .record(z.string(), z.unknown())
      .describe(`A JSON Schema, at most ${MAX_SCHEMA_BYTES.toLocaleString('en-US')} bytes.`),
    strict: z.boolean().nullish(),
  }),
]);

/** The format at `param`; undefined for text. */
export function parseFormat(format: unknown, param: string): OutputFormat | undefined {
  if (format === undefined || format === null) return undefined;
  const refuse = (field: string, message: string) => new InvalidRequest('invalid_request', `${param}${field}`, message);
  if (!isObject(format)) throw refuse('', 'The format must be an object.');
  switch (format['type']) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json_object' };
    case 'json_schema':
      return parseSchemaFormat(format, refuse);
    default:
      throw refuse('.type', 'The type must be text, json_object or json_schema.');
  }
}

function parseSchemaFormat(
  { name = 'response', description, schema, strict }: Record<string, unknown>,
  refuse: (field: string, message: string) => InvalidRequest,
): OutputFormat {
  if (typeof name !== 'string' || !FORMAT_NAME.test(name))
    throw refuse('.name', 'name must be 1 to 64 letters, digits, underscores or hyphens.');
  if (!isObject(schema)) throw refuse('.schema', 'schema must be a JSON Schema object.');
  if (!isShallow(schema, MAX_SCHEMA_DEPTH))
    throw refuse('.schema', `schema must not nest more than ${MAX_SCHEMA_DEPTH} levels deep.`);
  if ((jsonBytes(schema) ?? Infinity) > MAX_SCHEMA_BYTES)
    throw refuse('.schema', `schema must not exceed ${MAX_SCHEMA_BYTES} bytes of JSON.`);
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw refuse('.strict', 'strict must be true or false.');
  return {
    type: 'json_schema',
    name,
    description: typeof description === 'string' ? description : null,
    schema,
    strict: strict ?? null,
  };
}

/** Refuses a schema that an answer can't be checked against. `param` is the schema's field. */
export async function checkFormat(
  agent: Agent,
  owner: Principal,
  format: OutputFormat | undefined,
  param: string,
): Promise<void> {
  const problem = format?.type === 'json_schema' ? await agent.findSchemaProblem(owner, format.schema) : undefined;
  if (problem !== undefined)
    throw new InvalidRequest('invalid_request', param, `The schema can't be used: ${problem}.`);
}
