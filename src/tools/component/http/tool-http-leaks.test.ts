import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import {
  type Arrived,
  type Asked,
  asked,
  capabilitiesWith,
  HOST,
  SECRET,
  startUpstream,
  textOf,
  type Upstream,
} from './tool-http.test-support.ts';
import type { ToolHttpOptions } from './tool-http.ts';

let upstream: Upstream;

beforeEach(async () => {
  upstream = await startUpstream();
});

afterEach(() => {
  upstream.close();
});

const named = (name: string, words = '') => expect.objectContaining({ name, message: expect.stringContaining(words) });

describe('an upstream that echoes', () => {
  const echoes: Record<string, (request: Arrived) => string> = {
    'the header': ({ headers }) => headers.authorization ?? '',
    'the header in JSON': ({ headers }) => JSON.stringify({ headers }).replaceAll('/', '\\/'),
    'base64 of the header': ({ headers }) => Buffer.from(headers.authorization ?? '').toString('base64'),
    'hex of the header': ({ headers }) => Buffer.from(headers.authorization ?? '').toString('hex'),
    'the header in a URL': ({ headers }) => `/?h=${encodeURIComponent(headers.authorization ?? '')}`,
  };

  test.each(Object.keys(echoes))('%s gives nothing away', async (name) => {
    upstream.reply = (request) => ({ status: 400, body: `before ${echoes[name]?.(request) ?? ''} after` });
    const http = await upstream.open();

    const text = textOf(await http.httpRequest(asked()));

    expect(text).toMatch(/^before .*\[redacted:api_key\].* after$/);
    expect(upstream.warnings).toEqual([expect.stringMatching(/api\.example\.com answered with api_key \(1 times\)/)]);
  });

  test('a password in base64 with its user name gives nothing away', async () => {
    upstream.reply = ({ headers }) => ({ body: headers.authorization ?? '' });
    const http = await upstream.open({ capabilities: capabilitiesWith({ type: 'basic', username: 'me' }) });
    expect(textOf(await http.httpRequest(asked()))).toBe('Basic bWU6[redacted:api_key]==');
  });

  test('its path gives nothing away', async () => {
    upstream.reply = ({ path }) => ({ status: 404, body: `No ${path} here, nor ${decodeURIComponent(path)}` });
    const http = await upstream.open({ capabilities: capabilitiesWith({ type: 'query_param', name: 'key' }) });
    expect(textOf(await http.httpRequest(asked()))).toBe(
      'No /v1/x?key=[redacted:api_key] here, nor /v1/x?key=[redacted:api_key]',
    );
  });

  test('a secret that was not even sent gives nothing away', async () => {
    upstream.reply = () => ({ body: 'other-value-two' });
    const http = await upstream.open({
      secretFor: async (name) => (name === 'other_key' ? 'other-value-two' : SECRET),
    });
    expect(textOf(await http.httpRequest(asked()))).toBe('[redacted:other_key]');
  });

  test('binary answers stay as they are', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 256);
    upstream.reply = () => ({ body: bytes });
    const http = await upstream.open();
    expect(Buffer.compare((await http.httpRequest(asked())).body, bytes)).toBe(0);
    expect(upstream.warnings).toEqual([]);
  });

  test('compressed answers are not asked for, and not taken', async () => {
    upstream.reply = ({ headers }) => ({
      headers: { 'content-encoding': 'GZIP' },
      body: gzipSync(headers.authorization ?? ''),
    });
    const http = await upstream.open();
    await expect(http.httpRequest(asked({ headers: { 'Accept-Encoding': 'gzip' } }))).rejects.toThrow(
      named('RequestFailed', 'GZIP'),
    );
    expect(upstream.arrived[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('a tool that knows its secret', () => {
  test.each<[place: string, request: Asked]>([
    ['URL', { url: `${HOST}/v1/x?leak=${encodeURIComponent(SECRET)}` }],
    ['path', { url: `${HOST}/v1/${Buffer.from(SECRET).toString('hex')}` }],
    ['headers', { headers: { 'x-leak': Buffer.from(`is: ${SECRET}`).toString('base64') } }],
    ['body', { method: 'POST', body: Buffer.from(`\0\xff${SECRET}`) }],
  ])('can not send it in the %s', async (_, request) => {
    const http = await upstream.open();
    await expect(http.httpRequest(asked({ ...request }))).rejects.toThrow(named('RequestRefused', 'holds a secret'));
    expect(upstream.sent).toEqual([]);
    expect(upstream.warnings).toEqual([expect.stringContaining('api_key')]);
  });

  test('can not send it to a host without a credential either', async () => {
    const http = await upstream.open();
    const url = `https://open.example.com/v1/${SECRET}`;
    await expect(http.httpRequest(asked({ url }))).rejects.toThrow(named('RequestRefused', 'holds a secret'));
  });
});

describe('an error', () => {
  const failing = (failure: Error, more: Partial<ToolHttpOptions> = {}) =>
    upstream.open({
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
    expect(upstream.warnings.join()).not.toContain('s3cr3t');
  });

  test('that is unexpected is kept for the caller', async () => {
    const bug = new TypeError('a bug');
    const http = await failing(bug);
    await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestFailed', 'host could not'));
    expect(http.failure()).toBe(bug);
  });

  test('of counting stops the request', async () => {
    const away = new Error('database at 10.0.0.5 is away');
    const http = await upstream.open({
      takeUse: async () => {
        throw away;
      },
    });
    await expect(http.httpRequest(asked())).rejects.not.toThrow('10.0.0.5');
    expect(http.failure()).toBe(away);
    expect(upstream.sent).toEqual([]);
  });

  test('of time says how long it was', async () => {
    const send = ({ timeoutMs }: EgressRequest) =>
      new Promise<EgressAnswer>((_, reject) => setTimeout(() => reject(new EgressFailed('timeout')), timeoutMs + 5));
    const http = await upstream.open({ egress: { send } });
    await expect(http.httpRequest(asked({ timeoutMs: 20 }))).rejects.toThrow(named('RequestFailed', 'within 20 ms'));
  });

  test('after the call was stopped says so', async () => {
    const stop = new AbortController();
    const http = await failing(new EgressFailed('aborted'), { signal: stop.signal });
    stop.abort();
    await expect(http.httpRequest(asked())).rejects.toThrow(named('RequestFailed', 'stopped'));
  });
});

test('a tool that guesses its secret gets one answer, and none after the first hit', async () => {
  const PIN = '483920';
  const http = await upstream.open({ secretFor: async () => PIN });
  const guess = (text: string) => http.httpRequest(asked({ method: 'POST', body: Buffer.from(text) }));
  const refused = named('RequestRefused', 'holds a secret');

  await expect(guess('111111 222222')).resolves.toMatchObject({ status: 200 });
  expect(http.leaked()).toBeUndefined();
  await expect(guess('111111 483920 222222')).rejects.toThrow(refused);
  const sent = upstream.sent.length;
  for (const text of ['111111', '483920', 'nothing', '']) await expect(guess(text)).rejects.toThrow(refused);

  expect(http.leaked()).toBe('api_key');
  expect(upstream.leaks).toEqual(['api_key']);
  expect(upstream.sent).toHaveLength(sent);
});
