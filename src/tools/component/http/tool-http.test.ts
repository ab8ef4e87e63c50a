import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseCapabilities } from '../capabilities/parse-capabilities.ts';
import {
  type Asked,
  asked,
  capabilitiesWith,
  HOST,
  SECRET,
  startUpstream,
  textOf,
  type Upstream,
} from './tool-http.test-support.ts';

let upstream: Upstream;

beforeEach(async () => {
  upstream = await startUpstream();
});

afterEach(() => {
  upstream.close();
});

const named = (name: string, words = '') => expect.objectContaining({ name, message: expect.stringContaining(words) });

test('a request arrives with its credential, and the answer comes back as status and body alone', async () => {
  upstream.reply = () => ({ status: 201, headers: { 'x-upstream': 'hidden' }, body: 'made' });
  const http = await upstream.open();

  const answer = await http.httpRequest(
    asked({ method: 'POST', headers: { Accept: 'text/plain' }, body: Buffer.from('{"a":1}') }),
  );

  expect({ ...answer, body: textOf(answer) }).toEqual({ status: 201, body: 'made' });
  expect(upstream.arrived).toMatchObject([
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

test("a request continues the turn's trace, even if the tool sets another", async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const http = await upstream.open({ traceparent });

  await http.httpRequest(asked({ headers: { Traceparent: 'mine' } }));

  expect(upstream.arrived[0]?.headers['traceparent']).toBe(traceparent);
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
  ['a header that is not a string', { headers: { 'X-A': 5 } }, 'X-A'],
  ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'twice'],
  ['the header host', { headers: { Host: 'evil.example.net' } }, 'Host'],
  ['the header transfer-encoding', { headers: { 'Transfer-Encoding': 'chunked' } }, 'Transfer-Encoding'],
  ['the header content-length', { headers: { 'content-length': '0' } }, 'content-length'],
  ['another method in a header', { headers: { X_HTTP_Method_Override: 'DELETE' } }, 'X_HTTP_Method_Override'],
  ['another host in a header', { headers: { 'X-Original-Host': 'admin.example.com' } }, 'X-Original-Host'],
  ['another sender in a header', { headers: { 'X-Forwarded-For': '127.0.0.1' } }, 'X-Forwarded-For'],
  ['a standard forwarding header', { headers: { Forwarded: 'for=127.0.0.1' } }, 'Forwarded'],
  ['a header of a proxy', { headers: { 'Proxy-Authorization': 'Basic x' } }, 'Proxy-Authorization'],
  ['headers that are not JSON', { headers: 'accept: text/plain' }, 'JSON object'],
  ['headers that are a list', { headers: '[]' }, 'JSON object'],
  ['headers that are null', { headers: 'null' }, 'JSON object'],
  ['too many headers', { headers: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`x-${at}`, ''])) }, '64'],
  ['headers that are too long', { headers: { 'X-A': 'x'.repeat(16_384) } }, '16384'],
  ['a timeout of nothing', { timeoutMs: 0 }, 'timeout'],
  ['a timeout that is not a number', { timeoutMs: Number.NaN }, 'timeout'],
])('%s is refused, and nothing is sent or counted', async (_, request, words) => {
  const http = await upstream.open();

  await expect(http.httpRequest(asked(request))).rejects.toThrow(named('RequestRefused', words));

  expect(upstream.sent).toEqual([]);
  expect(upstream.uses.size).toBe(0);
});

test('a tool without http reaches nothing', async () => {
  const http = await upstream.open({ capabilities: parseCapabilities({}) });
  await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestRefused', 'allowlist'));
});

test('the fifty-first request of a call is refused, also when others were', async () => {
  const http = await upstream.open();
  await expect(http.httpRequest(asked({ method: 'DELETE' }))).rejects.toThrow(named('RequestRefused'));
  for (let request = 2; request <= 50; request++) await http.httpRequest(asked());

  await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestRefused', '50'));
  expect(upstream.sent).toHaveLength(49);
});

test('the rates apply to the tool, over all its calls', async () => {
  const capabilities = parseCapabilities({
    http: {
      allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }],
      rate_limit: { requests_per_minute: 2, requests_per_hour: 3 },
    },
  });
  const [one, two] = [await upstream.open({ capabilities }), await upstream.open({ capabilities })];
  await one.httpRequest(asked());
  await two.httpRequest(asked());

  await expect(one.httpRequest(asked())).rejects.toThrow(
    named('RequestRefused', '2 requests a minute. Try again in 13 s'),
  );
  expect(Object.fromEntries(upstream.uses)).toEqual({ 'tool:weather:60': 3, 'tool:weather:3600': 2 });

  upstream.uses.delete('tool:weather:60');
  await two.httpRequest(asked());
  await expect(two.httpRequest(asked())).rejects.toThrow(named('RequestRefused', '3 requests an hour'));
  expect(upstream.sent).toHaveLength(3);
});

test('the timeout is the shorter of the two, and the answer is bounded', async () => {
  const http = await upstream.open();
  await http.httpRequest(asked());
  await http.httpRequest(asked({ timeoutMs: 500 }));
  await http.httpRequest(asked({ timeoutMs: 4_000_000 }));

  expect(upstream.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 500, 30_000]);
  expect(upstream.sent.map(({ maxResponseBytes }) => maxResponseBytes)).toEqual([10_485_760, 10_485_760, 10_485_760]);
});

test('a redirect is an answer like any other', async () => {
  upstream.reply = () => ({ status: 302, headers: { location: 'https://127.0.0.1/' }, body: '' });
  const http = await upstream.open();
  expect(await http.httpRequest(asked())).toEqual({ status: 302, body: expect.objectContaining({ length: 0 }) });
});

describe('secret_exists', () => {
  test('knows the allowed names that have a value', async () => {
    const http = await upstream.open();
    expect(http.secretExists('api_key')).toBe(true);
    expect(http.secretExists('other_key')).toBe(false);
    expect(upstream.warnings).toEqual([]);
  });

  test('denies all others, and warns once', async () => {
    const http = await upstream.open({
      capabilities: capabilitiesWith({ type: 'bearer' }, { secrets: { allowed_names: [] } }),
      secretFor: async () => SECRET,
    });
    for (const name of ['api_key', 'toString', '', '*']) expect(http.secretExists(name)).toBe(false);
    expect(upstream.warnings).toEqual(['The tool asked for a secret not in its secrets.allowed_names: "api_key"']);
  });

  test('asks for no secret that the capabilities do not name', async () => {
    const names: string[] = [];
    await upstream.open({
      secretFor: async (name) => {
        names.push(name);
        return undefined;
      },
    });
    expect(names).toEqual(['api_key', 'other_key']);
  });
});
