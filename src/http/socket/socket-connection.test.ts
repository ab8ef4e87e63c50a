import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createConnection, type SocketConnection } from './socket-connection.ts';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Both ends of a WebSocket on loopback. */
async function connectLine(): Promise<{ connection: SocketConnection<object>; server: WebSocket; client: WebSocket }> {
  const listener = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(listener, 'listening');
  const accepted = once(listener, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  const [[server]] = await Promise.all([accepted, once(client, 'open')]);
  stops.push(() => {
    client.terminate();
    listener.close();
  });
  return { connection: createConnection(server), server, client };
}

const ERROR = { type: 'server_error', code: null, param: null };

test('a reader that stops reading stops the writer, costs a bounded amount of memory, and misses nothing', async () => {
  const { connection, server, client } = await connectLine();
  const seen: number[] = [];
  client.on('message', (data) => {
    const { error } = JSON.parse((data as Buffer).toString()) as { error: { message: string } };
    seen.push(Number.parseInt(error.message, 10));
  });
  client.pause();
  const count = 1000;
  let sent = 0;
  const writing = (async () => {
    for (; sent < count; sent++)
      await connection.send({ type: 'error', error: { ...ERROR, message: `${sent} ${'x'.repeat(64 * 1024)}` } });
  })();

  const stopped = await waitFor('the writer to stop', async () => server.bufferedAmount > 256 * 1024 && sent);
  await new Promise((resolve) => setImmediate(resolve));
  expect(server.bufferedAmount).toBeLessThan(512 * 1024);
  expect(stopped).toBeLessThan(count);

  client.resume();
  await writing;
  await waitFor('everything to arrive', async () => seen.length === count);
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => index));
});

test('texts are dealt with one at a time, in order, and meanwhile no more are taken in than have come', async () => {
  const { connection, client } = await connectLine();
  const dealt: string[] = [];
  let busy = 0;
  connection.onText(async (text) => {
    expect(++busy).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    dealt.push(text);
    busy--;
  });
  const texts = Array.from({ length: 200 }, (_, index) => String(index));
  for (const text of texts) client.send(text);
  await waitFor('all of them', async () => dealt.length === texts.length);
  expect(dealt).toEqual(texts);
});

test('messages after the end are dropped, and a waiting writer continues', async () => {
  const { connection, server, client } = await connectLine();
  client.pause();
  const writing = (async () => {
    while (!connection.closed.aborted) {
      await connection.send({ type: 'error', error: { ...ERROR, message: 'x'.repeat(64 * 1024) } });
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await waitFor('the writer to stop', async () => server.bufferedAmount > 256 * 1024);
  client.terminate();
  await writing;
  await connection.send({ type: 'pong' });
  expect(connection.closed.aborted).toBe(true);
});
