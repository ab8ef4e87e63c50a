import { expect, test } from 'vitest';
import { InvalidCapabilities, parseCapabilities } from './parse-capabilities.ts';

const target = { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET'] };
const credential = { secret_name: 'api_key', location: { type: 'bearer' }, host_patterns: ['api.example.com'] };
const withHttp = (http: object) => ({ http: { allowlist: [target], ...http } });
const withTarget = (change: object) => withHttp({ allowlist: [{ ...target, ...change }] });
const withCredential = (change: object) => withHttp({ credentials: { main: { ...credential, ...change } } });
const withLocation = (location: object) => withCredential({ location });
const oauth = {
  authorization_url: 'https://id.example.com/authorize',
  token_url: 'https://id.example.com/token',
  client_id_env: 'CLIENT_ID',
  scopes: ['read'],
};
const withOAuth = (change: object) => ({ auth: { secret_name: 'api_key', oauth: { ...oauth, ...change } } });

function problemsOf(file: unknown): readonly string[] {
  try {
    parseCapabilities(file);
  } catch (error) {
    if (error instanceof InvalidCapabilities) return error.problems;
    throw error;
  }
  return [];
}

test('a file that says nothing grants nothing, and has the defaults', () => {
  expect(parseCapabilities('{}')).toEqual({
    http: {
      allowlist: [],
      rateLimit: { requestsPerMinute: 60, requestsPerHour: 1_000 },
      timeoutSecs: 30,
      credentials: [],
    },
    secrets: { allowedNames: [] },
    setup: { requiredSecrets: [] },
    limits: { memoryMb: 64, cpuSecs: 10, wallSecs: 60 },
  });
});

test('every key of a full file is there, as the code spells it', () => {
  const file = {
    version: '1.2.0',
    wit_version: '0.1.0',
    http: {
      allowlist: [{ host: 'API.Example.com', path_prefix: '/bot{token}/', methods: ['GET', 'POST'] }],
      rate_limit: { requests_per_minute: 5, requests_per_hour: 50 },
      timeout_secs: 300,
      credentials: {
        header_one: { ...credential, location: { type: 'header', name: 'X-Api-Key', prefix: 'Key ' } },
        path_one: { ...credential, location: { type: 'url_path', placeholder: '{token}' } },
      },
    },
    secrets: { allowed_names: ['api_key'] },
    auth: {
      secret_name: 'api_key',
      display_name: 'Example',
      instructions: 'Make a key.\nCopy it.',
      setup_url: 'https://example.com/keys',
      token_hint: 'begins with ex_',
      env_var: 'EXAMPLE_KEY',
      oauth: { ...oauth, client_secret_secret: 'client_secret', redirect_port: 8_765 },
    },
    setup: { required_secrets: [{ name: 'client_secret', prompt: 'The client secret', optional: true }] },
    limits: { memory_mb: 128, cpu_secs: 20, wall_secs: 120 },
  };

  expect(parseCapabilities(JSON.stringify(file))).toEqual({
    version: '1.2.0',
    witVersion: '0.1.0',
    http: {
      allowlist: [{ host: 'api.example.com', pathPrefix: '/bot%7Btoken%7D/', methods: ['GET', 'POST'] }],
      rateLimit: { requestsPerMinute: 5, requestsPerHour: 50 },
      timeoutSecs: 300,
      credentials: [
        {
          name: 'header_one',
          secretName: 'api_key',
          location: { type: 'header', name: 'X-Api-Key', prefix: 'Key ' },
          hostPatterns: ['api.example.com'],
        },
        {
          name: 'path_one',
          secretName: 'api_key',
          location: { type: 'url_path', placeholder: 'token' },
          hostPatterns: ['api.example.com'],
        },
      ],
    },
    secrets: { allowedNames: ['api_key'] },
    auth: {
      secretName: 'api_key',
      displayName: 'Example',
      instructions: 'Make a key.\nCopy it.',
      setupUrl: 'https://example.com/keys',
      tokenHint: 'begins with ex_',
      envVar: 'EXAMPLE_KEY',
      oauth: {
        authorizationUrl: 'https://id.example.com/authorize',
        tokenUrl: 'https://id.example.com/token',
        clientIdEnv: 'CLIENT_ID',
        clientSecretSecret: 'client_secret',
        scopes: ['read'],
        redirectPort: 8_765,
      },
    },
    setup: { requiredSecrets: [{ name: 'client_secret', prompt: 'The client secret', optional: true }] },
    limits: { memoryMb: 128, cpuSecs: 20, wallSecs: 120 },
  });
});

test('all problems are reported together, each with its position', () => {
  const file = { htpp: {}, http: { allowlist: [{ host: '10.0.0.1', methods: ['get'] }], timeout_secs: 301 } };

  expect(problemsOf(file)).toEqual([
    'http.allowlist[0].host: must be a name, not an IP address',
    'http.allowlist[0].path_prefix: is missing',
    'http.allowlist[0].methods[0]: must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'http.timeout_secs: must be a whole number from 1 to 300',
    'it has no key "htpp": it may have version, wit_version, http, secrets, auth, setup, limits, card',
  ]);
  expect(() => parseCapabilities(file)).toThrow(/must be fixed:\n- http\.allowlist\[0\]\.host: must/);
});

test.each([
  ['', { extra: 1 }],
  ['http', withHttp({ extra: 1 })],
  ['http.allowlist[0]', withTarget({ extra: 1 })],
  ['http.rate_limit', withHttp({ rate_limit: { per_day: 1 } })],
  ['http.credentials.main', withCredential({ extra: 1 })],
  ['http.credentials.main.location', withLocation({ type: 'bearer', name: 'x' })],
  ['secrets', { secrets: { names: [] } }],
  ['auth', { auth: { secret_name: 'a', extra: 1 } }],
  ['auth.oauth', withOAuth({ client_secret: 'in the file' })],
  ['setup', { setup: { extra: 1 } }],
  ['setup.required_secrets[0]', { setup: { required_secrets: [{ name: 'a', prompt: 'A', extra: 1 }] } }],
  ['limits', { limits: { disk_mb: 1 } }],
  ['', JSON.parse('{"__proto__": {"x": 1}}')],
])('an unknown key of %j is refused', (place, file) => {
  expect(problemsOf(file)).toEqual([expect.stringMatching(/has no key "\w+": it may have \w+/)]);
  expect(problemsOf(file)[0]).toMatch(
    place === '' ? /^it has/ : new RegExp(`^${place.replaceAll(/[[\].]/g, '\\$&')}: has`),
  );
});

test('a credential can not hide behind a name that is skipped', () => {
  const file = `{"http": {"credentials": {"__proto__": ${JSON.stringify(credential)}}}}`;
  expect(problemsOf(file)).toEqual(['http.credentials: must not have a key __proto__']);
});

test.each<[place: string, file: unknown]>([
  ['http', { http: null }],
  ['http.allowlist', withHttp({ allowlist: {} })],
  ['http.allowlist[0].host', withTarget({ host: 'https://api.example.com' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: 'v1' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '/v1/../' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '/v1/%2e%2e/' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '/v1/*' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '/v1?x' })],
  ['http.allowlist[0].path_prefix', withTarget({ path_prefix: '/v1\\x' })],
  ['http.allowlist[0].methods', withTarget({ methods: 'GET' })],
  ['http.allowlist[0].methods', withTarget({ methods: undefined })],
  ['http.allowlist[0].methods[0]', withTarget({ methods: ['CONNECT'] })],
  ['http.allowlist[0].methods[0]', withTarget({ methods: ['*'] })],
  ['http.rate_limit.requests_per_minute', withHttp({ rate_limit: { requests_per_minute: 0 } })],
  ['http.rate_limit.requests_per_hour', withHttp({ rate_limit: { requests_per_hour: 1.5 } })],
  ['http.timeout_secs', withHttp({ timeout_secs: 0 })],
  ['http.timeout_secs', withHttp({ timeout_secs: '30' })],
  ['http.credentials["a b"]', withHttp({ credentials: { 'a b': credential } })],
  ['http.credentials["\\u001b[2J"]', withHttp({ credentials: { '\u001b[2J': credential } })],
  ['http.credentials.main.secret_name', withCredential({ secret_name: '../key' })],
  ['http.credentials.main.host_patterns', withCredential({ host_patterns: [] })],
  ['http.credentials.main.host_patterns[0]', withCredential({ host_patterns: ['*'] })],
  ['http.credentials.main.location.type', withLocation({ type: 'cookie' })],
  ['http.credentials.main.location.type', withLocation({})],
  ['http.credentials.main.location.name', withLocation({ type: 'header' })],
  ['http.credentials.main.location.name', withLocation({ type: 'header', name: 'X Key' })],
  ['http.credentials.main.location.name', withLocation({ type: 'header', name: 'X:Key' })],
  ['http.credentials.main.location.name', withLocation({ type: 'header', name: 'Host' })],
  ['http.credentials.main.location.name', withLocation({ type: 'header', name: 'Transfer_Encoding' })],
  ['http.credentials.main.location.prefix', withLocation({ type: 'header', name: 'X-Key', prefix: 'a\r\nb' })],
  ['http.credentials.main.location.name', withLocation({ type: 'query_param', name: 'a&b' })],
  ['http.credentials.main.location.placeholder', withLocation({ type: 'url_path', placeholder: '{a}{b}' })],
  ['http.credentials.main.location.placeholder', withLocation({ type: 'url_path', placeholder: '{a' })],
  ['http.credentials.main.location.username', withLocation({ type: 'basic', username: 'a:b' })],
  ['secrets.allowed_names[1]', { secrets: { allowed_names: ['fine', 'not fine'] } }],
  ['auth.secret_name', { auth: {} }],
  ['auth.display_name', { auth: { secret_name: 'a', display_name: 'Bank\u001b[2J' } }],
  ['auth.display_name', { auth: { secret_name: 'a', display_name: '\u202Eknab' } }],
  ['auth.instructions', { auth: { secret_name: 'a', instructions: 'one\rtwo' } }],
  ['auth.setup_url', { auth: { secret_name: 'a', setup_url: 'javascript:alert(1)' } }],
  ['auth.env_var', { auth: { secret_name: 'a', env_var: 'A=B' } }],
  ['auth.oauth.authorization_url', withOAuth({ authorization_url: 'http://id.example.com/' })],
  ['auth.oauth.token_url', withOAuth({ token_url: 'https://me:pass@id.example.com/' })],
  ['auth.oauth.scopes', withOAuth({ scopes: 'read write' })],
  ['auth.oauth.scopes[0]', withOAuth({ scopes: ['read write'] })],
  ['auth.oauth.redirect_port', withOAuth({ redirect_port: 80 })],
  ['auth.oauth', withOAuth({ client_id_env: undefined })],
  ['setup.required_secrets[0].prompt', { setup: { required_secrets: [{ name: 'a' }] } }],
  ['limits.memory_mb', { limits: { memory_mb: 4_096 } }],
  ['version', { version: '' }],
  ['wit_version', { wit_version: 'latest' }],
])('%s is named when it is wrong', (place, file) => {
  expect(problemsOf(JSON.stringify(file))).toEqual([expect.stringContaining(`${place}: `)]);
  expect(problemsOf(JSON.stringify(file))[0]?.startsWith(`${place}: `)).toBe(true);
});

test.each(['mcp.0198.token', 'MCP.x', 'model.openai'])('a tool is not granted the secret %s of the service', (name) => {
  expect(problemsOf({ secrets: { allowed_names: [name] } })).toHaveLength(1);
  expect(problemsOf({ setup: { required_secrets: [{ name, prompt: 'A' }] } })).toHaveLength(1);
  expect(problemsOf({ auth: { secret_name: name } })[0]).toContain('must be a secret name');
  expect(problemsOf(withCredential({ secret_name: name }))[0]).toContain('must be a secret name');
});

test.each(['{', '', 'null', '[]', '"text"', `"${'x'.repeat(300_000)}"`])('%.20s is not a capabilities file', (text) => {
  expect(problemsOf(text)).toEqual([expect.stringMatching(/^it (is|must)/)]);
});

test('a secret is sent nowhere that the allowlist does not have', () => {
  const ofHosts = (allowed: string, ...host_patterns: string[]) =>
    problemsOf(
      withHttp({ allowlist: [{ ...target, host: allowed }], credentials: { main: { ...credential, host_patterns } } }),
    );

  expect(ofHosts('*.example.com', 'api.example.com', '*.eu.example.com', '*.EXAMPLE.com')).toEqual([]);
  expect(ofHosts('*.example.com', 'api.example.com', 'example.com')).toEqual([
    'http.credentials.main.host_patterns[1]: example.com is not covered by a host of http.allowlist',
  ]);
  expect(ofHosts('api.example.com', '*.example.com')).toHaveLength(1);
});

test('two credentials do not fill the same place of the same request', () => {
  const two = (one: object, other: object, patterns = ['api.example.com']) =>
    problemsOf({
      http: {
        allowlist: [target, { ...target, host: '*.example.com' }],
        credentials: {
          one: { ...credential, location: one },
          other: { ...credential, location: other, host_patterns: patterns },
        },
      },
    });
  const header = (name: string) => ({ type: 'header', name });

  expect(two({ type: 'bearer' }, { type: 'basic', username: 'me' })).toEqual([
    'http.credentials.other: one already fills the same place of requests to the same host',
  ]);
  expect(two({ type: 'bearer' }, header('authorization'))).toHaveLength(1);
  expect(two(header('X-Api-Key'), header('x_api_key'), ['*.example.com'])).toHaveLength(1);
  expect(two({ type: 'query_param', name: 'key' }, { type: 'query_param', name: 'KEY' })).toHaveLength(1);
  expect(two({ type: 'bearer' }, header('X-Api-Key'))).toEqual([]);
  expect(two({ type: 'bearer' }, { type: 'bearer' }, ['other.example.com'])).toEqual([]);
});

test('a card has templates and labels, and the paths in it are not renamed', () => {
  const words = { en: 'Look up {country_code}?', de: '{country_code} nachsehen?' };
  const card = {
    templates: [{ when: { path: 'is_new', value: true }, ask: words, did: words }],
    fields: [{ path: 'country_code', label: { en: 'Country' }, kind: 'exact' }],
  };
  expect(parseCapabilities({ card }).card).toEqual(card);
  expect(problemsOf({ card: { templates: [{ ask: words }], fields: [{ path: 'a b', label: {} }] } })).toEqual([
    'card.templates[0].did: is missing',
    'card.fields[0].path: must be keys of the arguments, joined with dots',
    'card.fields[0].label.en: is missing',
  ]);
});
