import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AttachedPart } from '#domain/thread/item.ts';
import { createEgress } from '#egress/egress.ts';
import { ECHO, type McpAnswer, type McpMessage, startMcpServer } from '../../../test/support/mcp-server.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { InputRequired } from '../tool.ts';
import { callMcpTool, listMcpTools } from './mcp-client.ts';
import { McpFailure } from './mcp-failure.ts';
import { isTooDeep } from './mcp-fetch.ts';
import { renderResult } from './render-result.ts';

async function startServer(answers: Record<string, McpAnswer> = {}, limitMs = 10_000) {
  const server = await startMcpServer(answers);
  const egress = createEgress();
  onTestFinished(async () => {
    server.close();
    await egress.close();
  });
  const endpoint = { name: 'mine', url: server.url, privateNetwork: true, headers: {} };
  return { ...server, endpoint, network: { egress, version: '1', callMs: limitMs, listMs: limitMs } };
}

type Server = Awaited<ReturnType<typeof startServer>>;
const list = ({ network, endpoint }: Server) => listMcpTools(network, endpoint, []);
const LEGACY = { version: '2025-11-25', discover: null };
const call = ({ network, endpoint }: Server, signal = AbortSignal.timeout(10_000)) =>
  callMcpTool(network, { ...endpoint, discovery: LEGACY }, { name: 'echo', arguments: { a: 1 } }, { signal });
const raw =
  (text: string, type = 'application/json'): McpAnswer =>
  (_message, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

test('tools are listed and called, the session is ended, and no stream is opened', async () => {
  const server = await startServer();
  const { tools, discovery, refreshInMs } = await list(server);

  expect(tools).toMatchObject([{ name: 'echo', description: 'Echoes.' }]);
  expect({ discovery, refreshInMs }).toEqual({ discovery: LEGACY, refreshInMs: 300_000 });
  expect(renderResult(await call(server))).toBe('{"a":1}');
  expect(server.methods().slice(-3)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  expect(server.requests.map(({ method }) => method)).not.toContain('GET');
  expect(server.requests.at(-1)?.method).toBe('DELETE');
});

describe('a server that', () => {
  const hang: McpAnswer = () => undefined;
  test.each([
    ['hangs', hang, /did not answer within 0.7 seconds/],
    [
      'says that its answer has 9 GB',
      (_message: McpMessage, response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 9e9 }).flushHeaders(),
      /larger than/,
    ],
    [
      'sends less than it says',
      (_message: McpMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 900 });
        response.write('{"jsonrpc"', () => response.destroy());
      },
      /closed|broke|shorter/,
    ],
    [
      'breaks off a stream',
      (_message: McpMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc"', () => response.socket?.resetAndDestroy());
      },
      /closed|broke/,
    ],
    ['dies', (_message: McpMessage, response: ServerResponse) => void response.destroy(), /closed|broke/],
    [
      'floods',
      (_message: McpMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = () => {
          while (!response.destroyed && response.write(': '.repeat(32_000)));
        };
        response.on('drain', more);
        more();
      },
      /more than 8 MiB|larger than|did not answer/,
    ],
    [
      'nests its answer 100,000 levels deep',
      raw(`{"jsonrpc":"2.0","id":1,"result":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
      /nested too deeply/,
    ],
    ['answers with something else', raw('<html>', 'text/html'), /can't be used/],
    ['answers with broken JSON', raw('{"jsonrpc":'), /can't be used/],
    [
      'fails',
      (_message: McpMessage, response: ServerResponse) => void response.writeHead(500).end('boom'),
      /status 500/,
    ],
    [
      'wants a key',
      (_message: McpMessage, response: ServerResponse) => void response.writeHead(401).end(),
      /status 401. Check its key/,
    ],
    [
      'redirects to a metadata service',
      (_message: McpMessage, response: ServerResponse) =>
        void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
      /redirect/i,
    ],
    [
      'redirects to another port of its host',
      (_message: McpMessage, response: ServerResponse) =>
        void response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end(),
      /redirect/i,
    ],
    [
      'reports an error with hidden characters',
      () => ({ error: { code: -32_000, message: 'no\u202E\u0000 way' } }),
      /^The server reported: .*no way$/,
    ],
    ['asks for input', () => ({ resultType: 'input_required', inputRequests: {} }), /can't be used|reported/],
  ] as [string, McpAnswer, RegExp][])('%s: the call fails in time, and is sent once', async (_, answer, message) => {
    const server = await startServer({ 'tools/call': answer }, answer === hang ? 700 : 10_000);
    const began = performance.now();

    await expect(call(server)).rejects.toThrow(message);
    expect(performance.now() - began).toBeLessThan(9000); // at most, a call may take ten seconds
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  test('lists pages without end is left after 20', async () => {
    let page = 0;
    const server = await startServer({ 'tools/list': () => ({ tools: [], nextCursor: `c${page++}` }) });

    await expect(list({ ...server, network: { ...server.network, listMs: 5000 } })).rejects.toThrow(/./);
    expect(page).toBeLessThanOrEqual(21);
  });

  test('hangs while its tools are listed does not hold anything up for longer than the limit', async () => {
    await expect(list(await startServer({ 'tools/list': hang }, 700))).rejects.toThrow(/did not answer within 0.7/);
    await expect(list(await startServer({ initialize: hang }, 700))).rejects.toThrow(/did not answer within 0.7/);
    await expect(list(await startServer({ 'server/discover': hang }, 700))).rejects.toThrow(
      /did not answer within 0.7/,
    );
  });

  test('speaks an unknown version is refused', async () => {
    const initialize = () => ({
      protocolVersion: '1999-01-01',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    });

    await expect(list(await startServer({ initialize }))).rejects.toThrow(/can't be used/);
  });

  test('has a hostile pattern in its schemas blocks nothing, because no schema is compiled', async () => {
    const text = { type: 'string', pattern: '^(a+)+$' };
    const hostile = { ...ECHO, outputSchema: { type: 'object', properties: { text } } };
    const server = await startServer({
      'tools/list': () => ({ tools: [hostile] }),
      'tools/call': () => ({ content: [], structuredContent: { text: `${'a'.repeat(40)}!` } }),
    });
    const began = performance.now();

    await list(server);
    expect(renderResult(await call(server))).toContain('aaa');
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('is on a private network is not reached without the allowance', async () => {
    const server = await startServer();
    const endpoint = { ...server.endpoint, privateNetwork: false };

    await expect(list({ ...server, endpoint })).rejects.toThrow(/https/);
    expect(server.requests).toEqual([]);
  });
});

describe('a server that wants a person to open a page first (-32042)', () => {
  const requiring =
    (...urls: string[]): McpAnswer =>
    () => ({
      error: {
        code: -32_042,
        message: 'Open this.',
        data: { elicitations: urls.map((url) => ({ mode: 'url', message: `At ${url}.`, url, elicitationId: url })) },
      },
    });
  const page = 'https://pay.example.com/order/7';
  const callAgain = (server: Server, asked?: InputRequired) =>
    callMcpTool(
      server.network,
      { ...server.endpoint, discovery: LEGACY },
      { name: 'echo', arguments: {} },
      { signal: AbortSignal.timeout(10_000), answered: asked && { state: asked.state, input: {} } },
    ).catch((error: unknown) => error);

  test('asks the person, who opens it; the call is made again after the answer, and nothing is fetched', async () => {
    const server = await startServer({ 'tools/call': requiring(page, 'https://id.example.com/') });
    const first = (await callAgain(server)) as InputRequired;
    expect(first).toMatchObject({ name: 'InputRequired', question: { url: page, fields: [] } });
    const second = (await callAgain(server, first)) as InputRequired;
    expect(second.question.url).toBe('https://id.example.com/');
    delete server.answers['tools/call'];
    expect(await callAgain(server, second)).toMatchObject({ content: [{ text: '{}' }] });
    expect(server.calls()).toHaveLength(3);
  });

  test('is refused after ten answers', async () => {
    const server = await startServer({ 'tools/call': requiring(page) });
    let asked = await callAgain(server);
    for (let round = 1; round <= 10; round++) asked = await callAgain(server, asked as InputRequired);
    expect(asked).toMatchObject({ reason: 'refused', message: expect.stringContaining('more than 10 questions') });
  });

  test.each([
    ['plain http', [`http://pay.example.com/`]],
    ['a script', ['javascript:alert(1)']],
    ['a file', ['file:///etc/passwd']],
    ['a password', ['https://bank.example.com:x@evil.example.com/']],
    ['no address', []],
  ])('is refused with %s', async (_what, urls) => {
    const server = await startServer({ 'tools/call': requiring(...urls) });
    expect(await callAgain(server)).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('not allowed'),
    });
  });
});

test('a cancelled call ends at once, and the server learns of it', async () => {
  const server = await startServer({ 'tools/call': () => undefined });
  const stop = new AbortController();
  const pending = call({ ...server, network: { ...server.network, callMs: 30_000 } }, stop.signal);
  await waitFor('the call', async () => server.methods().includes('tools/call'));
  stop.abort(new Error('cancelled by the user'));

  await expect(pending).rejects.toThrow('cancelled by the user');
  await waitFor('the message', async () => server.methods().includes('notifications/cancelled'));
});

test('headers go to the server with each request', async () => {
  const server = await startServer();
  await list({ ...server, endpoint: { ...server.endpoint, headers: { authorization: 'Bearer key-1' } } });

  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer key-1']));
});

test('results are rendered as text; pictures and files are shown to people, and only named for the model', () => {
  const link = { type: 'resource_link', uri: 'file:///a', name: 'A' } as const;
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;

  expect(renderResult({ content: [{ type: 'text', text: 'one' }, image, link] })).toBe(
    'one\n[image of the type image/png: not shown]\n[link to file:///a] A',
  );
  const files: AttachedPart[] = [];
  const blob = { type: 'resource', resource: { uri: 'file:///etc/../a%20b/plan x.pdf', blob: 'AAAA' } } as const;
  const sound = { type: 'audio', data: 'AAAA', mimeType: 'audio/mpeg' } as const;
  const words = renderResult({ content: [image, blob, sound, { ...image, data: '' }] }, (file) => files.push(file));
  expect(words.match(/the user sees it/g)).toHaveLength(3);
  expect(files).toEqual([
    { type: 'image', mediaType: 'image/png', base64: 'AAAA' },
    { type: 'file', mediaType: 'application/octet-stream', filename: 'plan_x.pdf', base64: 'AAAA' },
    { type: 'file', mediaType: 'audio/mpeg', filename: 'audio.mp3', base64: 'AAAA' },
  ]);
  const many = Array.from({ length: 12 }, () => image);
  renderResult({ content: many }, (file) => files.push(file));
  expect(files).toHaveLength(13);
  expect(renderResult({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
  expect(renderResult({ content: [{ type: 'text', text: 'bad' }], isError: true })).toBe('{"error":"bad"}');
  expect(renderResult({ content: [] })).toBe('The tool returned nothing.');
  expect(renderResult({ content: [{ type: 'text', text: 'x'.repeat(1024 * 1024) }] }).length).toBeLessThan(263_000);
});

test('depth is counted outside of strings', () => {
  const depth = (text: string) => isTooDeep(Buffer.from(text));

  expect(depth('['.repeat(65))).toBe(true);
  expect(depth('['.repeat(64))).toBe(false);
  expect(depth(JSON.stringify({ a: '['.repeat(99), b: '\\"[[' }))).toBe(false);
  expect(depth(`"\\""${'{'.repeat(65)}`)).toBe(true);
});

test('every failure is an McpFailure', async () => {
  const server = await startServer();
  const endpoint = { ...server.endpoint, url: 'http://127.0.0.1:1/mcp' };

  await expect(list({ ...server, endpoint })).rejects.toBeInstanceOf(McpFailure);
});
