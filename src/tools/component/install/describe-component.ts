import { jsonOf } from '#domain/text/json.ts';
import { type Jail, startJail } from '../jail/jail.ts';
import { type ComponentFiles, DEFAULT_LIMITS, type HostImports } from '../jail/jail-call.ts';
import type { GuestOutcome } from '../jail/running-call.ts';
import { findWall } from '../jail/wall.ts';

export type Described = { readonly schema: string; readonly description: string } | { readonly refusal: string };

/**
 * The time limit for a text that should be constant. The host answers at once, so a component can't wait here: what ends it is its
 * CPU time, also on a machine that has little of it. The other limits are only for a process that is stuck.
 */
const LIMITS = { ...DEFAULT_LIMITS, cpuMs: 2000, wallMs: 300_000 };
const PATIENCE = { startMs: 120_000, answerMs: 120_000 };
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SCHEMA_DEPTH = 32;
const MAX_DESCRIPTION_CHARS = 8 * 1024;

/** Asks the component for its schema and description, in a jail whose host denies everything. */
export async function describeComponent(files: ComponentFiles): Promise<Described> {
  const jail = startJail(files, DEFAULT_LIMITS.memoryBytes, PATIENCE, await findWall());
  try {
    const [schema, description] = [await ask(jail, 'schema'), await ask(jail, 'description')];
    if (!('text' in schema)) return { refusal: failed('schema', schema.message) };
    if (!('text' in description)) return { refusal: failed('description', description.message) };
    const refusal = findSchemaFault(schema.text) ?? findDescriptionFault(description.text);
    return refusal ? { refusal } : { schema: schema.text, description: description.text.trim() };
  } finally {
    jail.close();
  }
}

const DENY_ALL: HostImports = {
  httpRequest: () => Promise.reject(new Error('A tool has no network while it is installed.')),
  secretExists: () => false,
};

async function ask(jail: Jail, exported: 'schema' | 'description'): Promise<GuestOutcome> {
  const { signal } = new AbortController();
  const outcome = await jail.run({ exported, params: '', host: DENY_ALL, limits: LIMITS, signal });
  return outcome ?? { kind: 'crashed', message: await jail.ended, logs: [] };
}

const failed = (exported: string, message: string) =>
  `The component's ${exported}() failed. ${message} It must return a text without calling the host.`;

function findSchemaFault(text: string): string | undefined {
  const instead = 'schema() must return the JSON Schema of an object.';
  if (text.length > MAX_SCHEMA_CHARS)
    return `The schema has ${text.length} characters; the limit is 64 Ki. Shorten it.`;
  const schema = jsonOf(text);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return `The schema is not a JSON object: ${instead}`;
  if ('type' in schema && schema.type !== 'object')
    return `The schema's type is ${JSON.stringify(schema.type)}: ${instead}`;
  if (isDeeper(schema, MAX_SCHEMA_DEPTH)) return `The schema is nested more than ${MAX_SCHEMA_DEPTH} deep. Flatten it.`;
  return undefined;
}

function findDescriptionFault(text: string): string | undefined {
  if (text.trim() === '') return 'The description is empty: description() must tell the model what the tool is for.';
  if (text.length > MAX_DESCRIPTION_CHARS)
    return `The description has ${text.length} characters; the limit is 8 Ki. Shorten it.`;
  return undefined;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((child) => isDeeper(child, depth - 1));
}
