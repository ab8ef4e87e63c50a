// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPooler } from '../../test/support/pooler.ts';
import { makeHome, removeHome } from './embedded/owner-process.test-support.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

let home: string;
let server: OpenDatabase;

beforeAll(async () => {
  home = await makeHome();
  server = await openDatabase({ url: undefined, home });
});

afterAll(async () => {
  await server.close();
  await removeHome(home);
});

test.each([
  ['transaction', 0],
  ['transaction', 1],
  ['statement', 0],
] as const)('a pooler in %s mode is refused, with round robin %i', async (mode, inTurns) => {
  await using pooler = await startPooler(server.connection, { pool_mode: mode, server_round_robin: inTurns });
  await pooler.warmUp(2);
  await expect(openDatabase({ url: pooler.url, home: '/nowhere' })).rejects.toThrow(
    /is behind a connection pooler in transaction mode, which Reborn can't use/,
  );
});

test('a pooler in session mode is used', async () => {
  await using pooler = await startPooler(server.connection, { pool_mode: 'session' });
  expect(await openDatabase({ url: pooler.url, home: '/nowhere' })).toMatchObject({ version: server.version });
});
