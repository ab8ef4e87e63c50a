import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { ApiError, createClient, pathOf } from './client.ts';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(handle: (...given: Parameters<RequestListener>) => unknown): Promise<string> {
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const failureOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => (error instanceof ApiError ? error : Promise.reject(error as Error)),
  );

test('a call fills the path, the query, the body and the headers', async () => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const url = await serve(async (request, response) => {
    seen.push({ request, body: await text(request) });
    response.setHeader('content-type', 'application/json').end('{"path":"a/b","text":"tea"}');
  });
  const client = createClient({ url, token: 'secret' });

  const note = await client.call('PUT /api/memory/{path}', { params: { path: 'a/b' }, body: { text: 'tea' } });
  await client.call('GET /api/threads', { query: { q: 'x y', limit: 5, cursor: undefined } });
  await client.call('POST /api/chat/send', { body: { message: 'hi' }, idempotencyKey: 'key' });

  expect(note).toMatchObject({ path: 'a/b', text: 'tea' });
  expect(seen.map(({ request: { method, url: path }, body }) => [method, path, body])).toEqual([
    ['PUT', '/api/memory/a%2Fb', '{"text":"tea"}'],
    ['GET', '/api/threads?q=x+y&limit=5', ''],
    ['POST', '/api/chat/send', '{"message":"hi"}'],
  ]);
  expect(seen[0]?.request.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/json',
  });
  expect(seen[2]?.request.headers['idempotency-key']).toBe('key');
});

test('bytes are sent as they are', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    seen.push([request.method, request.url, request.headers['content-type'], await buffer(request)]);
    response.end('{"version":1,"files":[],"bytes":0,"quota_bytes":9}');
  });
  const client = createClient({ url });
  const at = { params: { id: 't', path: 'data/a b.bin' } };
  for (const body of [Uint8Array.of(0, 255, 10), new Blob([Uint8Array.of(0, 255, 10)])])
    await client.call('PUT /api/threads/{id}/files/{path}', { ...at, query: { own: 'true' }, body });

  const path = '/api/threads/t/files/data%2Fa%20b.bin?own=true';
  const sent = ['PUT', path, 'application/octet-stream', Buffer.of(0, 255, 10)];
  expect(seen).toEqual([sent, sent]);
});

test('pictures, files and archives have an address', () => {
  const at = { params: { id: 't', path: 'data/a b.png' }, query: { version: 2 } };
  expect(pathOf('GET /api/threads/{id}/files/{path}', at)).toBe('/api/threads/t/files/data%2Fa%20b.png?version=2');
});

test('a response without a body is undefined', async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  expect(await createClient({ url }).call('DELETE /api/threads/{id}', { params: { id: 'x' } })).toBeUndefined();
});

test('a refusal has the status, code, field, pause and request id', async () => {
  const url = await serve((_, response) =>
    response
      .writeHead(429, { 'retry-after': '7', 'x-request-id': 'r1' })
      .end('{"error":{"message":"Too many.","code":"rate_limited","param":"input"}}'),
  );
  const { status, code, message, param, retryAfter, requestId } = await failureOf(
    createClient({ url }).call('GET /api/me'),
  );
  expect({ status, code, message, param, retryAfter, requestId }).toEqual({
    status: 429,
    code: 'rate_limited',
    message: 'Too many.',
    param: 'input',
    retryAfter: 7,
    requestId: 'r1',
  });
});

test('a refusal without a message gets the one of the app', async () => {
  const url = await serve((_, response) => response.writeHead(401).end('Invalid or missing auth token'));
  const plain = await failureOf(createClient({ url }).call('GET /api/me'));
  expect(plain).toMatchObject({ status: 401, message: 'The service answered 401: Invalid or missing auth token' });
  const worded = await failureOf(createClient({ url }, { messages: { 401: 'Sign in.' } }).call('GET /api/me'));
  expect(worded.message).toBe('Sign in.');
});

test('a service that cannot be located, is down or breaks off has the status 0', async () => {
  expect(await failureOf(createClient(() => undefined).call('GET /api/me'))).toMatchObject({ status: 0 });
  expect(await failureOf(createClient({ url: 'http://127.0.0.1:9' }).call('GET /api/me'))).toMatchObject({ status: 0 });
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{', () => request.socket.destroy());
  });
  expect(await failureOf(createClient({ url }).call('GET /api/me'))).toMatchObject({ status: 0, code: 'unreachable' });
});

test('an aborted call fails with the reason of the abort', async () => {
  const url = await serve(() => {});
  const signal = AbortSignal.timeout(20);
  await expect(createClient({ url }).call('GET /api/me', { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});
