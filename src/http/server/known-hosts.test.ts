import { pino } from 'pino';
import { expect, test } from 'vitest';
import { isKnownHost, requireKnownHost } from './known-hosts.ts';
import { createServer } from './server.ts';

const names = ['agent.example.com'];
const local = { bindHost: '127.0.0.1', names };
const open = { bindHost: '0.0.0.0', names };

test.each([
  'localhost',
  'localhost:3000',
  'LOCALHOST:3000',
  'app.localhost:3000',
  '127.0.0.1:3000',
  '127.0.0.2',
  '[::1]:3000',
  'agent.example.com',
  'agent.example.com:443',
  'Agent.Example.com.',
])('%s is accepted by a local gateway and by one on the network', (host) => {
  expect(isKnownHost(host, local)).toBe(true);
  expect(isKnownHost(host, open)).toBe(true);
});

test.each([
  '192.168.1.5:3000',
  '[fe80::1]:3000',
  'mybox:3000',
  'mybox.local',
  'nas.lan',
  'svc.default.svc.cluster.local',
])('%s is accepted only by a gateway on the network', (host) => {
  expect(isKnownHost(host, local)).toBe(false);
  expect(isKnownHost(host, open)).toBe(true);
});

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'agent.example.com.evil.example',
  'evilagent.example.com',
  '192.168.1.5.nip.io',
  'local',
  'a b',
  '',
  '@localhost@evil.example',
  'evil.example@localhost',
])('%j is refused by a local gateway', (host) => {
  expect(isKnownHost(host, local)).toBe(false);
  expect(isKnownHost(host, open)).toBe(!host.includes('.') && /^\w+$/.test(host));
});

async function statusOf(bindHost: string, url: string, headers: Record<string, string>): Promise<number> {
  await using app = createServer({ maxBodyBytes: 10, log: pino({ level: 'silent' }) });
  requireKnownHost(app, { bindHost, names });
  app.get('/', async () => 'page');
  app.get('/healthz', async () => 'well');
  const { statusCode } = await app.inject({ url, headers });
  return statusCode;
}

test('a request under a foreign name is refused, even with proxy headers', async () => {
  const rebound = { host: 'evil.example', cookie: 'reborn_session=x', 'x-forwarded-host': 'localhost' };
  expect(await statusOf('127.0.0.1', '/', rebound)).toBe(403);
  expect(await statusOf('0.0.0.0', '/', rebound)).toBe(403);
  expect(await statusOf('127.0.0.1', '/nowhere', rebound)).toBe(404);
  expect(await statusOf('127.0.0.1', '/healthz', rebound)).toBe(200);
});

test('a gateway on the network accepts a caller with a token under any name, a local one does not', async () => {
  const caller = { host: 'agent.intern.example', authorization: 'Bearer x' };
  expect(await statusOf('0.0.0.0', '/', caller)).toBe(200);
  expect(await statusOf('127.0.0.1', '/', caller)).toBe(403);
});
