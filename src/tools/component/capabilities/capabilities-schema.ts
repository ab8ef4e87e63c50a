import { z } from 'zod';
import { METHODS } from './capabilities.ts';
import {
  environmentName,
  headerName,
  headerPrefix,
  hostPattern,
  httpsUrl,
  line,
  lines,
  list,
  matching,
  named,
  pathPrefix,
  placeholder,
  secretName,
  strict,
  whole,
} from './capabilities-fields.ts';

/** The capabilities file as its author writes it. Missing keys have defaults; unknown keys are refused. */
export function capabilitiesSchema() {
  return strict({
    version: line(64).exactOptional(),
    wit_version: matching(/^\d+(\.\d+){0,2}$/, 'must be a version such as 0.1.0').exactOptional(),
    http: http().prefault({}),
    secrets: strict({ allowed_names: list(secretName(), 50) }).prefault({}),
    auth: auth().exactOptional(),
    setup: strict({ required_secrets: list(requiredSecret(), 20) }).prefault({}),
    limits: strict({
      memory_mb: whole(1, 512).default(64),
      cpu_secs: whole(1, 60).default(10),
      wall_secs: whole(1, 600).default(60),
    }).prefault({}),
    card: card().exactOptional(),
  });
}

function card() {
  const words = () => strict({ en: line(300), de: line(300).exactOptional(), nb: line(300).exactOptional() });
  const path = () => matching(/^[\w.]{1,100}$/, 'must be keys of the arguments, joined with dots');
  const template = strict({
    when: strict({ path: path(), value: z.union([line(100), z.number(), z.boolean()]) }).exactOptional(),
    ask: words(),
    did: words(),
  });
  const field = strict({
    path: path(),
    label: words(),
    kind: z.enum(['text', 'exact', 'code', 'time']).exactOptional(),
  });
  return strict({ templates: list(template, 20), fields: list(field, 100) });
}

function http() {
  const target = strict({ host: hostPattern(), path_prefix: pathPrefix(), methods: z.array(z.enum(METHODS)) });
  const credential = strict({
    secret_name: secretName(),
    location: location(),
    host_patterns: z.array(hostPattern()).min(1, 'must name a host'),
  });
  return strict({
    allowlist: list(target, 100),
    rate_limit: strict({
      requests_per_minute: whole(1, 1_000_000).default(60),
      requests_per_hour: whole(1, 1_000_000).default(1_000),
    }).prefault({}),
    timeout_secs: whole(1, 300).default(30),
    credentials: named(credential),
  });
}

function location() {
  return z.discriminatedUnion('type', [
    strict({ type: z.literal('bearer') }),
    strict({ type: z.literal('header'), name: headerName(), prefix: headerPrefix().exactOptional() }),
    strict({
      type: z.literal('query_param'),
      name: matching(/^[\w.~[\]-]{1,64}$/, 'must be the name of a query parameter: letters, digits and _ - . ~ [ ]'),
    }),
    strict({ type: z.literal('url_path'), placeholder: placeholder() }),
    strict({
      type: z.literal('basic'),
      username: matching(/^[\x20-\x39\x3b-\x7e]{0,128}$/, 'must be printable ASCII without a colon'),
    }),
  ]);
}

function auth() {
  return strict({
    secret_name: secretName(),
    display_name: line(100).exactOptional(),
    instructions: lines(4_000).exactOptional(),
    setup_url: httpsUrl().exactOptional(),
    token_hint: line(200).exactOptional(),
    env_var: environmentName().exactOptional(),
    oauth: oauth().exactOptional(),
  });
}

function oauth() {
  return strict({
    authorization_url: httpsUrl(),
    token_url: httpsUrl(),
    client_id_env: environmentName().exactOptional(),
    client_secret_env: environmentName().exactOptional(),
    client_id_secret: secretName().exactOptional(),
    client_secret_secret: secretName().exactOptional(),
    scopes: z.array(matching(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be an OAuth scope: printable, without spaces')),
    redirect_port: whole(1_024, 65_535).exactOptional(),
  }).refine((given) => given.client_id_env !== undefined || given.client_id_secret !== undefined, {
    error: 'must say where the client id comes from: give client_id_env or client_id_secret',
  });
}

function requiredSecret() {
  return strict({ name: secretName(), prompt: line(500), optional: z.boolean().exactOptional() });
}
