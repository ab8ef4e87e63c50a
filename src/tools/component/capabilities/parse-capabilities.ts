import { z } from 'zod';
import type { Capabilities, Credential, CredentialLocation } from './capabilities.ts';
import { capabilitiesSchema } from './capabilities-schema.ts';
import { headerKey } from './header-name.ts';
import { coversHosts } from './host-pattern.ts';

/** The capabilities file is invalid. Each problem names its key and says what to write instead. */
export class InvalidCapabilities extends Error {
  override readonly name = 'InvalidCapabilities';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The capabilities file must be fixed:', ...problems].join('\n- '));
    this.problems = problems;
  }
}

const MAX_CHARACTERS = 256 * 1024;

/** Parses the file's text or its JSON value. */
export function parseCapabilities(file: unknown): Capabilities {
  const parsed = schema.safeParse(typeof file === 'string' ? parseJson(file) : file, { error: explain });
  if (!parsed.success) throw new InvalidCapabilities(parsed.error.issues.map(toProblem));

  const capabilities: Capabilities = camelKeys(parsed.data);
  const problems = [...uncoveredPatterns(capabilities), ...findDuplicateLocations(capabilities)];
  if (problems.length > 0) throw new InvalidCapabilities(problems);
  return capabilities;
}

const schema = capabilitiesSchema();

function parseJson(text: string): unknown {
  if (text.length > MAX_CHARACTERS) throw new InvalidCapabilities([`it is longer than ${MAX_CHARACTERS} characters`]);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidCapabilities([`it is not JSON: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** A credential's hosts must be in the allowlist. */
function uncoveredPatterns({ http }: Capabilities): string[] {
  return http.credentials.flatMap(({ name, hostPatterns }) =>
    hostPatterns.flatMap((pattern, index) =>
      http.allowlist.some(({ host }) => coversHosts(host, pattern))
        ? []
        : [`http.credentials.${name}.host_patterns[${index}]: ${pattern} is not covered by a host of http.allowlist`],
    ),
  );
}

/** Two credentials for one location of a request: the second would overwrite the first. */
function findDuplicateLocations({ http: { credentials } }: Capabilities): string[] {
  return credentials.flatMap((credential, index) =>
    credentials
      .slice(0, index)
      .filter((earlier) => isContested(earlier, credential))
      .map(
        (earlier) =>
          `http.credentials.${credential.name}: ${earlier.name} already fills the same place of requests to the same host`,
      ),
  );
}

function isContested(one: Credential, other: Credential): boolean {
  if (locationKey(one.location) !== locationKey(other.location)) return false;
  return one.hostPatterns.some((first) =>
    other.hostPatterns.some((second) => coversHosts(first, second) || coversHosts(second, first)),
  );
}

function locationKey(location: CredentialLocation): string {
  switch (location.type) {
    case 'bearer':
    case 'basic':
      return 'header authorization';
    case 'header':
      return `header ${headerKey(location.name)}`;
    case 'query_param':
      return `query ${location.name.toLowerCase()}`;
    case 'url_path':
      return `path ${location.placeholder}`;
  }
}

function toProblem(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(showStep).join('');
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return path === '' ? `it ${message}` : `${path.replace(/^\./, '')}: ${message}`;
}

/** A key that is not a plain word is quoted, because it is foreign text. */
function showStep(step: PropertyKey): string {
  return typeof step === 'string' && /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** Zod's message, worded to follow the key. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return 'must be one of bearer, header, query_param, url_path, basic';
    case 'too_big':
      return `must have at most ${issue.maximum} characters`;
    default:
      return undefined;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** A value of the wire with its keys as the code spells them, at every depth. */
export type CamelKeys<T> = T extends readonly (infer Entry)[]
  ? readonly CamelKeys<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T as CamelCase<Key & string>]: CamelKeys<T[Key]> }
    : T;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

function camelKeys<T>(value: T): CamelKeys<T> {
  return renameKeys(value) as CamelKeys<T>;
}

function renameKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameKeys);
  if (typeof value !== 'object' || value === null) return value;

  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [toCamelCase(key), renameKeys(entry)]));
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
