import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { sendMessage } from './send.ts';

type Reply = { readonly status: number; readonly retryAfter?: number } | 'break';

const ACCEPTED = { thread_id: 't', response_id: 'r', turn_id: 'u', status: 'queued' };
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A service that replies in this order, and then accepts. */
async function serve(replies: readonly Reply[]) {
  const seen: { readonly key: unknown; readonly body: string }[] = [];
  const left = [...replies];
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    seen.push({ key: request.headers['idempotency-key'], body: await text(request) });
    const reply = left.shift() ?? { status: 200 };
    if (reply === 'break') return void request.socket.destroy();
    response
      .writeHead(reply.status, reply.retryAfter === undefined ? {} : { 'retry-after': String(reply.retryAfter) })
      .end(JSON.stringify(reply.status === 200 ? ACCEPTED : { error: { message: 'No.', code: 'x' } }));
  }
  await once(server, 'listening');
  stops.push(() => server.close());
  const pauses: number[] = [];
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  const waits: (number | undefined)[] = [];
  const onWait = (seconds: number | undefined) => void waits.push(seconds);
  return { seen, pauses, waits, send: () => sendMessage(client, { message: 'hi' }, { pause, onWait }) };
}

test('a message is sent again with the same key until it is accepted', async () => {
  const { seen, pauses, send } = await serve(['break', { status: 503 }, { status: 429, retryAfter: 3 }]);
  expect(await send()).toEqual(ACCEPTED);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen.map(({ body }) => body)).toEqual(Array(4).fill('{"when_busy":"preferred","message":"hi"}'));
  expect(pauses).toEqual([250, 500, 3000]);
});

test('only a pause that the service has asked for is shown, and its end', async () => {
  const { waits, send } = await serve(['break', { status: 429, retryAfter: 7 }, { status: 503 }]);
  await send();
  expect(waits).toEqual([7, undefined]);
});

test.each<Reply>([
  { status: 400 },
  { status: 409 },
  { status: 500 },
  { status: 429 },
  { status: 429, retryAfter: 3600 },
])('a refusal is final: %o', async (reply) => {
  const { seen, send } = await serve([reply]);
  await expect(send()).rejects.toMatchObject({ name: 'ApiError', message: 'No.' });
  expect(seen).toHaveLength(1);
});

test('two messages have different keys', async () => {
  const { seen, send } = await serve([]);
  await Promise.all([send(), send()]);
  expect(seen[0]?.key).not.toBe(seen[1]?.key);
});
