import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { isReachable } from './connection.ts';
import { connectIdentities } from './identity-connection.ts';

test('a server that accepts the connection and never answers counts as unavailable within seconds', async () => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const identities = connectIdentities({ host: '127.0.0.1', port, user: 'x', password: 'x', database: 'x' }, () => {});
  const started = performance.now();

  expect(await isReachable(identities)).toBe(false);
  expect(performance.now() - started).toBeLessThan(20_000);
  await identities.destroy();
  silent.close();
});
