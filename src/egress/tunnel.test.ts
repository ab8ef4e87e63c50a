import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { EgressFailed } from './egress-failure.ts';
import { createTunnel } from './tunnel.ts';

/** A guest's connection, as far as the tunnel sees it. Attacks by real guests are in test/sandbox. */
function openConnection() {
  let answer = '';
  const connection = new Duplex({
    read() {},
    write: (chunk: Buffer, _, done) => {
      answer += chunk.toString();
      done();
    },
  });
  return { connection, answer: () => answer };
}

const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\n\r\n';

test('a guest that leaves while its host is dialled does not make the end of the call wait', async () => {
  const dialled = Promise.withResolvers<Socket>();
  const isAsked = Promise.withResolvers<void>();
  const connectByName = () => (isAsked.resolve(), dialled.promise);
  const tunnel = createTunnel({ egress: { connectByName }, hosts: ['a.example'] });
  const { connection } = openConnection();
  tunnel.accept(connection);
  connection.push(CONNECT);
  await isAsked.promise;
  connection.destroy();
  await once(connection, 'close');
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  dialled.resolve(socket as Socket);
  await once(socket, 'close');

  expect(await tunnel.close()).toEqual({ reached: [], refused: [] });
});

test('the end of the call ends a dial, and no connection is accepted after it', async () => {
  const isAsked = Promise.withResolvers<void>();
  const connectByName = (_host: string, { signal }: { signal?: AbortSignal }) =>
    new Promise<Socket>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new EgressFailed('cancelled')));
      isAsked.resolve();
    });
  const tunnel = createTunnel({ egress: { connectByName }, hosts: ['a.example'] });
  const { connection } = openConnection();
  tunnel.accept(connection);
  connection.push(CONNECT);
  await isAsked.promise;
  expect(await tunnel.close()).toMatchObject({ reached: [], refused: [{ target: 'a.example' }] });
  expect(connection.destroyed).toBe(true);

  const late = openConnection();
  tunnel.accept(late.connection);
  expect(late.connection.destroyed).toBe(true);
});

test('a host that can not be reached is 502, and the reason is in the answer', async () => {
  const connectByName = () => Promise.reject(new EgressFailed('refused'));
  const tunnel = createTunnel({ egress: { connectByName }, hosts: ['a.example'] });
  const { connection, answer } = openConnection();
  tunnel.accept(connection);
  connection.push(CONNECT);
  await once(connection, 'finish');
  expect(answer()).toMatch(/^HTTP\/1\.1 502 it could not be reached\r\n/);
  await tunnel.close();
});
