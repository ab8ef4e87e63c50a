// @module-tag slow
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { admitConnection } from './connections.ts';
import { allowBodies, type ClientLimits, createServer } from './server.ts';
import { timeFor } from './unread-body.ts';

const LIMIT = 100;
const LARGE = 20 * 1024 * 1024;

/** A server on a real port: `/open` accepts small bodies, `/closed` requires a token, `/slow` never answers. */
async function listen(clientLimits: Partial<ClientLimits> = {}) {
  const app = createServer({ maxBodyBytes: LIMIT, log: pino({ level: 'silent' }), clientLimits });
  let parsed = 0;
  app.addHook('preValidation', async () => void parsed++);
  app.post('/open', async () => 'open');
  app.get('/healthz', async () => 'well');
  app.get('/slow', () => new Promise(() => {}));
  await app.register(async (inner) => {
    inner.addHook('onRequest', async (request, reply) => {
      if (request.headers.authorization !== 'Bearer good') return reply.code(401).send('no');
      admitConnection(request);
    });
    allowBodies(inner, LARGE);
    inner.post('/closed', async (request) => String(JSON.stringify(request.body).length));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as { port: number };
  return { app, port, parsed: () => parsed };
}

/** A connection that sends `text` and collects the answer. */
function open(port: number, text = '') {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (data) => (answer += String(data)));
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(text);
  return { socket, closed, answer: () => answer, connected: once(socket, 'connect') };
}

const post = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;

test.each([
  ['an unknown path', '/nowhere', 404],
  ['a wrong token', '/closed', 401],
  ['a public route and too large a body', '/open', 413],
])('%s is answered although most of the body never arrives, and nothing is parsed', async (_, path, status) => {
  const { port, parsed } = await listen();
  const stranger = open(port, `${post(path, 10_000_000)}[`);
  await stranger.closed;
  expect(stranger.answer()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(parsed()).toBe(0);
});

test.each([
  ['an unknown path', '/nowhere', 404],
  ['a wrong token', '/closed', 401],
  ['a public route', '/open', 413],
])('a client that sends its whole body before it reads gets the answer: %s', async (_, path, status) => {
  const { port } = await listen();
  const client = open(port, post(path, LARGE));
  client.socket.pause();
  let failed = false;
  client.socket.on('error', () => (failed = true));
  await new Promise((sent) => client.socket.write(Buffer.alloc(LARGE, ' '), sent));
  client.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'); // the connection stays usable
  client.socket.resume();
  await client.closed;
  expect(failed).toBe(false);
  expect(client.answer()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(client.answer()).toMatch(/well$/);
});

test('a protected route accepts a body that is too large for a public one', async () => {
  const { port } = await listen();
  const body = JSON.stringify('x'.repeat(2 * LIMIT));
  const known = open(
    port,
    `${post('/closed', body.length, 'Authorization: Bearer good\r\nConnection: close\r\n')}${body}`,
  );
  await known.closed;
  expect(known.answer()).toMatch(/^HTTP\/1.1 200 [^]*202$/);
});

test('connections with late headers or bodies are closed', async () => {
  const { port } = await listen({ headersMs: 300, unauthenticatedMs: 300, idleMs: 60_000 });
  const halves = [
    open(port),
    open(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: '),
    open(port, `${post('/open', LIMIT)}[`),
  ];
  const drip = setInterval(() => halves[2]?.socket.write(' '), 50);
  onTestFinished(() => clearInterval(drip));
  await Promise.all(halves.map(({ closed }) => closed));
  expect(halves[2]?.answer()).toMatch(/^HTTP\/1.1 408 /);
});

test('an authenticated caller may be slower, as long as the body makes progress', async () => {
  const { port } = await listen({ unauthenticatedMs: 50, authenticatedMs: 60_000, idleMs: 1500 });
  const whole = open(port, `${post('/closed', 20, 'Authorization: Bearer good\r\nConnection: close\r\n')}"`);
  for (let sent = 1; sent < 19; sent++) {
    await sleep(60); // longer than the limit for unauthenticated callers, shorter than the idle limit
    whole.socket.write('a');
  }
  whole.socket.write('"');
  await whole.closed;
  expect(whole.answer()).toMatch(/^HTTP\/1.1 200 /);

  const stuck = open(port, `${post('/closed', 20, 'Authorization: Bearer good\r\n')}"`);
  await stuck.closed;
  expect(stuck.answer()).toMatch(/^HTTP\/1.1 408 /);
});

test('a route that takes larger bodies gives them more time', () => {
  expect([undefined, 100, 14 * 1024 * 1024, 70 * 1024 * 1024].map((bytes) => timeFor(1000, bytes))).toEqual([
    1000, 1000, 1000, 5000,
  ]);
});

test('above the limit the oldest unauthenticated connection is closed, and never an authenticated one', async () => {
  const { port } = await listen({ unauthenticated: 3 });
  const known = open(port, `${post('/closed', 2, 'Authorization: Bearer good\r\n')}{}`);
  await once(known.socket, 'data');
  const oldest = open(port);
  await oldest.connected;
  const others = [open(port), open(port), open(port)];
  await oldest.closed;

  known.socket.write(`${post('/closed', 2, 'Authorization: Bearer good\r\n')}{}`);
  await once(known.socket, 'data');
  expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
});

test('a closing server does not wait for clients that never finish', async () => {
  const { app, port } = await listen({ graceMs: 300 });
  const held = [
    open(port),
    open(port, `${post('/open', LIMIT)}[`),
    open(port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'),
  ];
  await Promise.all(held.map(({ connected }) => connected));
  await open(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').closed; // the others have arrived too

  const started = performance.now();
  await app.close();
  expect(performance.now() - started).toBeLessThan(3000);
  await Promise.all(held.map(({ closed }) => closed));
});
