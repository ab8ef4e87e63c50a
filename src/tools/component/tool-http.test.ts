import { createServer, request as dial, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EgressAnswer, EgressRequest } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { parseCapabilities } from './parse-capabilities.ts';
import { createToolHttp, type ToolHttpOptions } from './tool-http.ts';

type Arrived = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
};
type Reply = { status?: number; headers?: Record<string, string>; body?: string | Uint8Array };

const SECRET = 's3cr3t/value+one';
const HOST = 'https://api.example.com';

let server: Server;
let arrived: Arrived[] = [];
let sent: EgressRequest[] = [];
let warnings: string[] = [];
let uses = new Map<string, number>();
let reply: (request: Arrived) => Reply = () => ({});

beforeAll(async () => {
  server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
});

beforeEach(() => {
  arrived = [];
  sent = [];
  warnings = [];
  uses = new Map();
  reply = () => ({});
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks = await Array.fromAsync<Buffer>(request);
  const { method = '', url = '', headers, rawHeaders } = request;
  const seen = { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
  arrived.push(seen);
  const { status = 200, headers: extra = {}, body = 'fine' } = reply(seen);
  response.writeHead(status, extra).end(body);
}

/** Sends to the upstream of this test, whatever the host. */
async function sendToLoopback(request: EgressRequest): Promise<EgressAnswer> {
  sent.push(request);
  const { pathname, search, host } = new URL(request.url);
  const { port } = server.address() as AddressInfo;
  const headers = { ...request.headers, host };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    dial({ host: '127.0.0.1', port, method: request.method, path: pathname + search, headers }, resolve)
      .on('error', reject)
      .end(request.body);
  });
  const body = Buffer.concat(await Array.fromAsync<Buffer>(response));
  return { status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body };
}

function capabilitiesWith(location?: object, more: object = {}) {
  const target = { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'POST'] };
  const credential = { secret_name: 'api_key', location, host_patterns: ['api.example.com'] };
  return parseCapabilities({
    http: {
      allowlist: [target, { ...target, host: 'open.example.com' }],
      rate_limit: { requests_per_minute: 1_000 },
      ...(location && { credentials: { main: credential } }),
    },
    secrets: { allowed_names: ['api_key', 'other_key'] },
    ...more,
  });
}

function open(change: Partial<ToolHttpOptions> = {}) {
  return createToolHttp({
    toolName: 'weather',
    capabilities: capabilitiesWith({ type: 'bearer' }),
    egress: { send: sendToLoopback },
    countUse: async (key) => {
      uses.set(key, (uses.get(key) ?? 0) + 1);
      return { used: uses.get(key) ?? 0, resetsInSeconds: 12.3 };
    },
    secretFor: async (name) => (name === 'api_key' ? SECRET : undefined),
    onWarning: (message) => warnings.push(message),
    signal: new AbortController().signal,
    ...change,
  });
}

type Asked = {
  method?: string;
  url?: string;
  headers?: Record<string, unknown> | string;
  body?: Uint8Array;
  timeoutMs?: number;
};

const asked = ({ method = 'GET', url = `${HOST}/v1/x`, headers = {}, ...rest }: Asked = {}) => ({
  method,
  url,
  headers: typeof headers === 'string' ? headers : JSON.stringify(headers),
  ...rest,
});

const named = (name: string, words = '') => expect.objectContaining({ name, message: expect.stringContaining(words) });
const textOf = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();

test('a request arrives with its credential, and the answer comes back as status and body alone', async () => {
  reply = () => ({ status: 201, headers: { 'x-upstream': 'hidden' }, body: 'made' });
  const http = await open();

  const answer = await http.httpRequest(
    asked({ method: 'POST', headers: { Accept: 'text/plain' }, body: Buffer.from('{"a":1}') }),
  );

  expect({ ...answer, body: textOf(answer) }).toEqual({ status: 201, body: 'made' });
  expect(arrived).toMatchObject([
    {
      method: 'POST',
      path: '/v1/x',
      body: '{"a":1}',
      headers: { accept: 'text/plain', authorization: `Bearer ${SECRET}` },
    },
  ]);
  expect(http.missing()).toBeUndefined();
  expect(http.failure()).toBeUndefined();
});

test.each<[what: string, request: Asked, words: string]>([
  ['a host that is not listed', { url: 'https://evil.example.net/v1/x' }, 'evil.example.net'],
  ['another method', { method: 'DELETE' }, 'DELETE'],
  ['no method at all', { method: 'GET / HTTP/1.1\r\nX: y\r\n' }, 'one of GET'],
  ['TRACE', { method: 'TRACE' }, 'one of GET'],
  ['another path', { url: `${HOST}/v2/x` }, 'path'],
  ['a path that climbs', { url: `${HOST}/v1/../v2` }, '".."'],
  ['a path that climbs in disguise', { url: `${HOST}/v1/%2e%2e/v2` }, 'hides'],
  ['an encoded slash', { url: `${HOST}/v1/%2fv2` }, 'hides'],
  ['a user name', { url: 'https://me:pw@api.example.com/v1/x' }, 'user name'],
  ['an IP address', { url: 'https://127.0.0.1/v1/x' }, 'IP address'],
  ['a decimal IP address', { url: 'https://2130706433/v1/x' }, 'IP address'],
  ['an octal IP address', { url: 'https://0177.0.0.1/v1/x' }, 'IP address'],
  ['http', { url: 'http://api.example.com/v1/x' }, 'https'],
  ['a URL that is too long', { url: `${HOST}/v1/${'x'.repeat(8_192)}` }, '8192'],
  ['a body that is too large', { method: 'POST', body: new Uint8Array(1_048_577) }, '1048576'],
  ['a header name with a line break', { headers: { 'X\r\nHost': 'evil' } }, 'name of a header'],
  ['a header value with a line break', { headers: { 'X-A': 'b\r\nHost: evil' } }, 'X-A'],
  ['a header value with NUL', { headers: { 'X-A': 'b\0' } }, 'X-A'],
  ['a header value beyond ASCII', { headers: { 'X-A': 'ĊĊ' } }, 'X-A'],
  ['a header that is no string', { headers: { 'X-A': 5 } }, 'X-A'],
  ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'twice'],
  ['the header host', { headers: { Host: 'evil.example.net' } }, 'Host'],
  ['the header transfer-encoding', { headers: { 'Transfer-Encoding': 'chunked' } }, 'Transfer-Encoding'],
  ['the header content-length', { headers: { 'content-length': '0' } }, 'content-length'],
  ['another method in a header', { headers: { X_HTTP_Method_Override: 'DELETE' } }, 'X_HTTP_Method_Override'],
  ['headers that are no JSON', { headers: 'accept: text/plain' }, 'JSON object'],
  ['headers that are a list', { headers: '[]' }, 'JSON object'],
  ['headers that are null', { headers: 'null' }, 'JSON object'],
  ['too many headers', { headers: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`x-${at}`, ''])) }, '64'],
  ['headers that are too long', { headers: { 'X-A': 'x'.repeat(16_384) } }, '16384'],
  ['a timeout of nothing', { timeoutMs: 0 }, 'timeout'],
  ['a timeout that is no number', { timeoutMs: Number.NaN }, 'timeout'],
])('%s is refused, and nothing is sent or counted', async (_, request, words) => {
  const http = await open();

  await expect(http.httpRequest(asked(request))).rejects.toThrow(named('RequestRefused', words));

  expect(sent).toEqual([]);
  expect(uses.size).toBe(0);
});

test('a tool without http reaches nothing', async () => {
  const http = await open({ capabilities: parseCapabilities({}) });
  await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestRefused', 'allowlist'));
});

test('the fifty-first request of a call is refused, also when others were', async () => {
  const http = await open();
  await expect(http.httpRequest(asked({ method: 'DELETE' }))).rejects.toThrow(named('RequestRefused'));
  for (let request = 2; request <= 50; request++) await http.httpRequest(asked());

  await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestRefused', '50'));
  expect(sent).toHaveLength(49);
});

test('the rates are those of the tool, over all its calls', async () => {
  const capabilities = parseCapabilities({
    http: {
      allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }],
      rate_limit: { requests_per_minute: 2, requests_per_hour: 3 },
    },
  });
  const [one, two] = [await open({ capabilities }), await open({ capabilities })];
  await one.httpRequest(asked());
  await two.httpRequest(asked());

  await expect(one.httpRequest(asked())).rejects.toThrow(
    named('RequestRefused', '2 requests a minute. Try again in 13 s'),
  );
  expect(Object.fromEntries(uses)).toEqual({ 'tool:weather:60': 3, 'tool:weather:3600': 2 });

  uses.delete('tool:weather:60');
  await two.httpRequest(asked());
  await expect(two.httpRequest(asked())).rejects.toThrow(named('RequestRefused', '3 requests an hour'));
  expect(sent).toHaveLength(3);
});

test('the timeout is the shorter of the two, and the answer is bounded', async () => {
  const http = await open();
  await http.httpRequest(asked());
  await http.httpRequest(asked({ timeoutMs: 500 }));
  await http.httpRequest(asked({ timeoutMs: 4_000_000 }));

  expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 500, 30_000]);
  expect(sent.map(({ maxResponseBytes }) => maxResponseBytes)).toEqual([10_485_760, 10_485_760, 10_485_760]);
});

test('a redirect is an answer like any other', async () => {
  reply = () => ({ status: 302, headers: { location: 'https://127.0.0.1/' }, body: '' });
  const http = await open();
  expect(await http.httpRequest(asked())).toEqual({ status: 302, body: expect.objectContaining({ length: 0 }) });
});

describe('a credential', () => {
  const arrivedWith = async (location: object, request: Asked, more: object = {}) => {
    const http = await open({ capabilities: capabilitiesWith(location, more) });
    await http.httpRequest(asked(request));
    return arrived.at(-1);
  };

  test('as a bearer token takes the place of what the tool wrote there', async () => {
    const request = await arrivedWith({ type: 'bearer' }, { headers: { AUTHORIZATION: 'Basic evil' } });
    expect(request?.rawHeaders.filter((name) => name.toLowerCase() === 'authorization')).toHaveLength(1);
    expect(request?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test('as a password is sent with its user name', async () => {
    const request = await arrivedWith({ type: 'basic', username: 'me' }, { headers: { authorization: 'Bearer evil' } });
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`);
  });

  test('in a header has its prefix, and the header has no twin', async () => {
    const location = { type: 'header', name: 'X-Api-Key', prefix: 'Key ' };
    const request = await arrivedWith(location, {
      headers: { 'x-api-key': 'evil', X_API_KEY: 'evil', 'x-other': 'kept' },
    });
    expect(request?.headers).toMatchObject({ 'x-api-key': `Key ${SECRET}`, 'x-other': 'kept' });
    expect(JSON.stringify(request)).not.toContain('evil');
  });

  test.each(['key=evil', 'KEY=evil', '%6Bey=evil', 'a=1;key=evil', 'key', 'key=evil&key=evil'])(
    'in a query parameter takes the place of %s',
    async (given) => {
      const url = `${HOST}/v1/x?q=a%20b+c&${given}&keys=2`;
      const request = await arrivedWith({ type: 'query_param', name: 'key' }, { url });
      expect(request?.path).toBe('/v1/x?q=a%20b+c&keys=2&key=s3cr3t%2Fvalue%2Bone');
    },
  );

  test('in a query parameter is added where there was no query', async () => {
    const request = await arrivedWith({ type: 'query_param', name: 'key' }, {});
    expect(request?.path).toBe('/v1/x?key=s3cr3t%2Fvalue%2Bone');
  });

  test('in the path stays in its segment', async () => {
    const location = { type: 'url_path', placeholder: '{token}' };
    const request = await arrivedWith(location, { url: `${HOST}/v1/bot{token}/send?to={token}` });
    expect(request?.path).toBe('/v1/bots3cr3t%2Fvalue%2Bone/send?to={token}');
  });

  test.each(['..', '.'])('in the path does not climb when it is %s', async (secret) => {
    const http = await open({
      capabilities: capabilitiesWith({ type: 'url_path', placeholder: 'token' }),
      secretFor: async () => secret,
    });
    await expect(http.httpRequest(asked({ url: `${HOST}/v1/{token}/x` }))).rejects.toThrow(
      named('RequestRefused', 'api_key'),
    );
    expect(sent).toEqual([]);
  });

  test('goes to no other host', async () => {
    const headers = { authorization: 'Bearer own' };
    const request = await arrivedWith({ type: 'bearer' }, { url: 'https://open.example.com/v1/x', headers });
    expect(request?.headers.authorization).toBe('Bearer own');
  });

  test.each(['line\nbreak', 'line\r\nX-Evil: 1', 'bullet•'])(
    'that does not fit into a header is not sent: %j',
    async (secret) => {
      const http = await open({ secretFor: async () => secret });
      const failed = http.httpRequest(asked());
      await expect(failed).rejects.toThrow(named('RequestRefused', 'The secret api_key does not fit'));
      await expect(failed).rejects.not.toThrow(named('RequestRefused', secret));
      expect(sent).toEqual([]);
    },
  );

  test('is never asked for in pieces', async () => {
    const http = await open();
    await expect(http.httpRequest(asked({ headers: { Range: 'bytes=0-3' } }))).rejects.toThrow(
      named('RequestRefused', 'range'),
    );
    await http.httpRequest(asked({ url: 'https://open.example.com/v1/x', headers: { Range: 'bytes=0-3' } }));
    expect(sent).toHaveLength(1);
  });

  test('that is missing is named, once and for the whole call', async () => {
    const capabilities = parseCapabilities({
      http: {
        allowlist: [{ host: '*.example.com', path_prefix: '/', methods: ['GET'] }],
        credentials: {
          one: { secret_name: 'first_key', location: { type: 'bearer' }, host_patterns: ['one.example.com'] },
          two: { secret_name: 'second_key', location: { type: 'bearer' }, host_patterns: ['two.example.com'] },
        },
      },
    });
    const http = await open({ capabilities, secretFor: async (name) => (name === 'first_key' ? '' : undefined) });

    await expect(http.httpRequest(asked({ url: 'https://one.example.com/' }))).rejects.toThrow(
      named('CredentialMissing', 'first_key'),
    );
    await expect(http.httpRequest(asked({ url: 'https://two.example.com/' }))).rejects.toThrow(
      named('CredentialMissing', 'second_key'),
    );
    await http.httpRequest(asked({ url: 'https://three.example.com/' }));

    expect(http.missing()).toBe('first_key');
    expect(sent).toHaveLength(1);
  });

  test('that is missing and optional leaves its place empty', async () => {
    const setup = { required_secrets: [{ name: 'api_key', prompt: 'Key', optional: true }] };
    const http = await open({
      capabilities: capabilitiesWith({ type: 'bearer' }, { setup }),
      secretFor: async () => undefined,
    });

    await http.httpRequest(asked({ headers: { authorization: 'Bearer evil' } }));

    expect(arrived[0]?.headers.authorization).toBeUndefined();
    expect(http.missing()).toBeUndefined();
  });

  test('whose placeholder is not in the path is not needed', async () => {
    const capabilities = capabilitiesWith({ type: 'url_path', placeholder: 'token' });
    const http = await open({ capabilities, secretFor: async () => undefined });
    await http.httpRequest(asked());
    await expect(http.httpRequest(asked({ url: `${HOST}/v1/{token}` }))).rejects.toThrow(named('CredentialMissing'));
  });
});

describe('an upstream that echoes', () => {
  const echoes: Record<string, (request: Arrived) => string> = {
    'the header': ({ headers }) => headers.authorization ?? '',
    'the header in JSON': ({ headers }) => JSON.stringify({ headers }).replaceAll('/', '\\/'),
    'base64 of the header': ({ headers }) => Buffer.from(headers.authorization ?? '').toString('base64'),
    'hex of the header': ({ headers }) => Buffer.from(headers.authorization ?? '').toString('hex'),
    'the header in a URL': ({ headers }) => `/?h=${encodeURIComponent(headers.authorization ?? '')}`,
  };

  test.each(Object.keys(echoes))('%s gives nothing away', async (name) => {
    reply = (request) => ({ status: 400, body: `before ${echoes[name]?.(request) ?? ''} after` });
    const http = await open();

    const text = textOf(await http.httpRequest(asked()));

    expect(text).toMatch(/^before .*\[redacted:api_key\].* after$/);
    expect(warnings).toEqual([expect.stringMatching(/api\.example\.com answered with api_key \(1 times\)/)]);
  });

  test('a password in base64 with its user name gives nothing away', async () => {
    reply = ({ headers }) => ({ body: headers.authorization ?? '' });
    const http = await open({ capabilities: capabilitiesWith({ type: 'basic', username: 'me' }) });
    expect(textOf(await http.httpRequest(asked()))).toBe('Basic bWU6[redacted:api_key]==');
  });

  test('its path gives nothing away', async () => {
    reply = ({ path }) => ({ status: 404, body: `No ${path} here, nor ${decodeURIComponent(path)}` });
    const http = await open({ capabilities: capabilitiesWith({ type: 'query_param', name: 'key' }) });
    expect(textOf(await http.httpRequest(asked()))).toBe(
      'No /v1/x?key=[redacted:api_key] here, nor /v1/x?key=[redacted:api_key]',
    );
  });

  test('a secret that was not even sent gives nothing away', async () => {
    reply = () => ({ body: 'other-value-two' });
    const http = await open({ secretFor: async (name) => (name === 'other_key' ? 'other-value-two' : SECRET) });
    expect(textOf(await http.httpRequest(asked()))).toBe('[redacted:other_key]');
  });

  test('binary answers stay as they are', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 256);
    reply = () => ({ body: bytes });
    const http = await open();
    expect(Buffer.compare((await http.httpRequest(asked())).body, bytes)).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('compressed answers are not asked for, and not taken', async () => {
    reply = ({ headers }) => ({ headers: { 'content-encoding': 'GZIP' }, body: gzipSync(headers.authorization ?? '') });
    const http = await open();
    await expect(http.httpRequest(asked({ headers: { 'Accept-Encoding': 'gzip' } }))).rejects.toThrow(
      named('RequestFailed', 'GZIP'),
    );
    expect(arrived[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('a tool that knows its secret', () => {
  test.each<[place: string, request: Asked]>([
    ['URL', { url: `${HOST}/v1/x?leak=${encodeURIComponent(SECRET)}` }],
    ['path', { url: `${HOST}/v1/${Buffer.from(SECRET).toString('hex')}` }],
    ['headers', { headers: { 'x-leak': Buffer.from(`is: ${SECRET}`).toString('base64') } }],
    ['body', { method: 'POST', body: Buffer.from(`\0\xff${SECRET}`) }],
  ])('can not send it in the %s', async (_, request) => {
    const http = await open();
    await expect(http.httpRequest(asked({ ...request }))).rejects.toThrow(named('RequestRefused', 'holds a secret'));
    expect(sent).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('api_key')]);
  });

  test('can not send it to a host without a credential either', async () => {
    const http = await open();
    const url = `https://open.example.com/v1/${SECRET}`;
    await expect(http.httpRequest(asked({ url }))).rejects.toThrow(named('RequestRefused', 'holds a secret'));
  });
});

describe('an error', () => {
  const failing = (failure: Error, more: Partial<ToolHttpOptions> = {}) =>
    open({
      capabilities: capabilitiesWith({ type: 'query_param', name: 'key' }),
      egress: {
        send: async () => {
          throw failure;
        },
      },
      ...more,
    });
  const quoting = `connect ECONNREFUSED 10.1.2.3:443 for ${HOST}/v1/x?key=${encodeURIComponent(SECRET)}`;

  test.each([
    [new EgressRefused(quoting), 'RequestRefused'],
    [new EgressFailed(quoting), 'RequestFailed'],
    [new TypeError(quoting), 'RequestFailed'],
  ])('of the way out tells the tool neither the secret nor an address: %s', async (thrown, name) => {
    const http = await failing(thrown);
    const failed = await http.httpRequest(asked()).catch((told: unknown) => inspect(told, { showHidden: true }));

    expect(failed).toContain(name);
    expect(failed).not.toMatch(/s3cr3t|10\.1\.2\.3/);
    expect(warnings.join()).not.toContain('s3cr3t');
  });

  test('that nobody expects is kept for the caller', async () => {
    const bug = new TypeError('a bug');
    const http = await failing(bug);
    await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestFailed', 'host could not'));
    expect(http.failure()).toBe(bug);
  });

  test('of counting stops the request', async () => {
    const away = new Error('database at 10.0.0.5 is away');
    const http = await open({
      countUse: async () => {
        throw away;
      },
    });
    await expect(http.httpRequest(asked())).rejects.not.toThrow('10.0.0.5');
    expect(http.failure()).toBe(away);
    expect(sent).toEqual([]);
  });

  test('of time says how long it was', async () => {
    const send = ({ timeoutMs }: EgressRequest) =>
      new Promise<EgressAnswer>((_, reject) => setTimeout(() => reject(new EgressFailed('timeout')), timeoutMs + 5));
    const http = await open({ egress: { send } });
    await expect(http.httpRequest(asked({ timeoutMs: 20 }))).rejects.toThrow(named('RequestFailed', 'within 20 ms'));
  });

  test('after the call was stopped says so', async () => {
    const stop = new AbortController();
    const http = await failing(new EgressFailed('aborted'), { signal: stop.signal });
    stop.abort();
    await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestFailed', 'stopped'));
  });
});

describe('secret_exists', () => {
  test('knows the allowed names that have a value', async () => {
    const http = await open();
    expect(http.secretExists('api_key')).toBe(true);
    expect(http.secretExists('other_key')).toBe(false);
    expect(warnings).toEqual([]);
  });

  test('denies all others, and warns once', async () => {
    const http = await open({
      capabilities: capabilitiesWith({ type: 'bearer' }, { secrets: { allowed_names: [] } }),
      secretFor: async () => SECRET,
    });
    for (const name of ['api_key', 'toString', '', '*']) expect(http.secretExists(name)).toBe(false);
    expect(warnings).toEqual(['The tool asked for a secret not in its secrets.allowed_names: "api_key"']);
  });

  test('asks for no secret that the capabilities do not name', async () => {
    const names: string[] = [];
    await open({
      secretFor: async (name) => {
        names.push(name);
        return undefined;
      },
    });
    expect(names).toEqual(['api_key', 'other_key']);
  });
});
