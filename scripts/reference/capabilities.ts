import { z } from 'zod';
import { capabilitiesSchema } from '#tools/component/capabilities/capabilities-schema.ts';
import { code, table } from './markdown.ts';

/** The page about the file that says what a tool may reach. */
export function capabilitiesPage(): string {
  const keys = keysOf(toJsonSchema(capabilitiesSchema()), '');
  const forgotten = Object.keys(MEANINGS).filter((name) => !keys.some((key) => key.name === name));
  if (forgotten.length > 0) throw new Error(`The capabilities file has no ${forgotten.join(', ')} any more.`);
  return `# The capabilities file

Written by \`npm run reference\` from
[src/tools/component/capabilities/capabilities-schema.ts](../../src/tools/component/capabilities/capabilities-schema.ts). A key that is not listed
here is refused, and so is a file in which a credential could go to a host that the tool itself may not reach.
[Writing a tool](../tools/authoring.md#the-capabilities-file) has an example and explains how the keys work together.

${table([['key', 'type', 'without it', 'meaning'], ...keys.map(toRow)])}
`;
}

type JsonSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
};

/** A map is parsed from anything, so that what it refuses is told; what it holds is the second part of its pipe. */
function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'pipe' && def.in._zod.def.type === 'unknown') Object.assign(jsonSchema, toJsonSchema(def.out));
    },
  }) as JsonSchema;
}

type Key = { readonly name: string; readonly schema: JsonSchema; readonly isRequired: boolean };

function keysOf(schema: JsonSchema, above: string): Key[] {
  if (schema.items) return keysOf(schema.items, `${above}[]`);
  if (schema.oneOf) return mergedKeys(schema.oneOf.flatMap((choice) => keysOf(choice, above)));
  if (typeof schema.additionalProperties === 'object') return keysOf(schema.additionalProperties, `${above}.<name>`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const below = keysOf(inner, name);
    const isRequired = schema.required?.includes(key) ?? false;
    return below.length > 0 && !MEANINGS[name] ? below : [{ name, schema: inner, isRequired }, ...below];
  });
}

/** The choices of a union as one: what they share once, and a `type` that lists them all. */
function mergedKeys(keys: readonly Key[]): Key[] {
  const byName = Map.groupBy(keys, ({ name }) => name);
  return [...byName].map(([name, [first, ...others]]) => {
    const constants = [first, ...others].map((key) => key?.schema.const).filter((value) => value !== undefined);
    const schema = constants.length > 0 ? { type: 'string', enum: constants } : (first?.schema ?? {});
    return { name, schema, isRequired: constants.length > 0 };
  });
}

function toRow({ name, schema, isRequired }: Key): string[] {
  const meaning = MEANINGS[name];
  if (meaning === undefined) throw new Error(`Say in ${import.meta.filename} what ${name} means.`);
  return [code(name), typeOf(schema), isRequired ? 'required' : defaultOf(schema), meaning];
}

function typeOf({ type = '', enum: choices, minimum, maximum, maxLength, maxItems, items }: JsonSchema): string {
  if (choices) return choices.map((choice) => code(String(choice))).join(', ');
  if (type === 'integer') return `${minimum} to ${maximum}`;
  if (items?.enum) return `list of ${typeOf(items)}`;
  if (type === 'array') return maxItems === undefined ? 'list' : `list of up to ${maxItems}`;
  return maxLength === undefined ? type : `${type} of up to ${maxLength} characters`;
}

function defaultOf({ default: value }: JsonSchema): string {
  return value === undefined || typeof value === 'object' ? '' : code(JSON.stringify(value));
}

const MEANINGS: Readonly<Record<string, string>> = {
  version: "The tool's version.",
  wit_version: 'The version of the world it was written for.',
  'http.allowlist': 'What the tool may ask for. Without an entry it reaches nothing.',
  'http.allowlist[].host': 'A host, or `*.` and a domain for every host below it. https only.',
  'http.allowlist[].path_prefix': 'Begins with `/` and ends where a segment does: `/v1` fits `/v1/x`, not `/v10`.',
  'http.allowlist[].methods': 'The methods it may use there; an empty list allows none.',
  'http.rate_limit.requests_per_minute': 'How much it may ask of others, whoever uses it.',
  'http.rate_limit.requests_per_hour': 'The same for an hour.',
  'http.timeout_secs': 'The longest a request may take.',
  'http.credentials.<name>.secret_name': 'The stored secret that is put into requests; the tool never sees it.',
  'http.credentials.<name>.location.type': 'Where it is put. What the tool itself put there is removed.',
  'http.credentials.<name>.location.name': 'The header, or the query parameter.',
  'http.credentials.<name>.location.prefix': 'What stands before the secret in that header.',
  'http.credentials.<name>.location.placeholder': 'What it replaces in the path, such as `{token}`.',
  'http.credentials.<name>.location.username': 'The user name that goes with it.',
  'http.credentials.<name>.host_patterns': 'The hosts it goes to; each must be covered by the allowlist.',
  'secrets.allowed_names': 'The secrets whose existence the tool may ask about.',
  'auth.secret_name': 'The secret that a sign-in fills.',
  'auth.display_name': 'What people know the service as.',
  'auth.instructions': 'How to get a token, for people.',
  'auth.setup_url': 'Where to get one.',
  'auth.token_hint': 'What one looks like.',
  'auth.env_var': 'A variable of the service that may hold it; none of its own settings.',
  'auth.oauth.authorization_url': "The provider's page for people.",
  'auth.oauth.token_url': 'Where codes and refresh tokens are exchanged.',
  'auth.oauth.client_id_env': 'The variable with the client id. This or the next is required.',
  'auth.oauth.client_id_secret': 'The stored secret with the client id.',
  'auth.oauth.client_secret_env': 'The variable with the client secret, if the provider wants one.',
  'auth.oauth.client_secret_secret': 'The stored secret with it.',
  'auth.oauth.scopes': 'What is asked for.',
  'auth.oauth.redirect_port': 'The port of the loopback address to come back to, if the provider wants a fixed one.',
  'setup.required_secrets': 'What `reborn tool setup` asks for.',
  'setup.required_secrets[].name': 'The secret.',
  'setup.required_secrets[].prompt': 'The question.',
  'setup.required_secrets[].optional': 'Whether requests are made without it.',
  'limits.memory_mb': 'Memory of a call, in MiB.',
  'limits.cpu_secs': 'Computing time of a call.',
  'limits.wall_secs': 'Time of a call in all.',
};
