// @module-tag slow
import { expect, test } from 'vitest';
import { findFreePort } from '../../test/support/free-port.ts';
import { makeHome, removeHome } from './embedded/owner-process.test-support.ts';
import { openDatabase } from './open-database.ts';

async function complaint(url: string): Promise<string> {
  const error: unknown = await openDatabase({ url, home: '/nowhere' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'DatabaseUnavailable' });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hunter2');
  return String(error);
}

test('the error for a server that is down names host, port and database, without the password', async () => {
  const port = await findFreePort();

  const message = await complaint(`postgres://ann:hunter2@localhost:${port}/notes`);

  expect(message).toContain(`localhost, port ${port}, database "notes": `);
  expect(message).toContain('ECONNREFUSED');
});

test.each([
  'postgres://ann:hunter2@:bad:url',
  'postgres://ann:1234/hunter2@localhost/notes',
  'postgres://ann:12#hunter2@localhost/notes',
])('the error for an invalid URL does not contain its password: %s', async (url) => {
  expect(await complaint(url)).toContain('DATABASE_URL is not a valid address');
});

test('a server that answers is used, and a wrong password and a missing server have different errors', async () => {
  const home = await makeHome();
  const server = await openDatabase({ url: undefined, home });
  const { host, password } = server.connection;
  const url = `postgres://reborn:${String(password)}@/reborn?host=${host}`;

  const external = await openDatabase({ url, home: '/nowhere' });

  expect(external).toMatchObject({ kind: 'external', version: server.version });
  await external.close();
  expect(await complaint(url.replace(String(password), 'hunter2'))).toContain('password authentication failed');
  expect(await complaint(url.replace('/reborn?', '/lost?'))).toContain('database "lost" does not exist');
  await server.close();
  await removeHome(home);
});
