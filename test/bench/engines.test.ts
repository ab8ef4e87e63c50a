import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startNewestProxy } from '../../bench/engines/newest-proxy.ts';

async function startSpeaker(word: string) {
  const server = createServer((socket) => socket.end(word)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function listen(port: number): Promise<string> {
  const socket = createConnection(port, '127.0.0.1').setEncoding('utf8');
  let said = '';
  socket.on('data', (piece: string) => (said += piece));
  await once(socket, 'close');
  return said;
}

test('the proxy before the workers of Restate leads new connections to the newest worker', async () => {
  const [first, second, proxy] = await Promise.all([startSpeaker('first'), startSpeaker('second'), startNewestProxy()]);
  proxy.leadTo(first.port);
  expect(await listen(proxy.port)).toBe('first');
  proxy.leadTo(second.port);
  expect(await listen(proxy.port)).toBe('second');

  first.close();
  second.close();
  await proxy.close();
});
