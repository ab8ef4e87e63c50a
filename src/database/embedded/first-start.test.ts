// @module-tag slow
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../open-database.ts';
import {
  ask,
  makeHome,
  postmasterPid,
  removeHome,
  spawnOwner,
  startOwner,
  waitUntil,
} from './owner-process.test-support.ts';

let home: string;
let data: string;
beforeEach(async () => {
  home = await makeHome();
  data = path.join(home, 'postgres-18');
});
afterEach(() => removeHome(home));

test('two processes starting at the same instant share one server', async () => {
  const [one, other] = await Promise.all([startOwner(home), startOwner(home)]);

  const started = 'select pg_postmaster_start_time()::text';
  expect(await ask(one.connection, started)).toEqual(await ask(other.connection, started));
  await Promise.all([one.close(), other.close()]);
  expect(await postmasterPid(data)).toBeUndefined();
});

test('a first start that was killed is repeated', async () => {
  const owner = spawnOwner(home);
  await waitUntil(async () => (await readdir(home)).some((entry) => entry.startsWith('postgres-18.new-')));
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(existsSync(data)).toBe(false);

  const database = await openDatabase({ url: undefined, home });

  expect(await ask(database.connection, 'select 1')).toEqual([1]);
  await database.close();
});

test('a folder with other content is left unchanged', async () => {
  await mkdir(data);
  await writeFile(path.join(data, 'diary.txt'), 'dear diary');

  await expect(openDatabase({ url: undefined, home })).rejects.toThrow('Move it away');

  expect(await readFile(path.join(data, 'diary.txt'), 'utf8')).toBe('dear diary');
});

test('a path too long for a socket gets a private temporary folder until the server stops', async () => {
  const long = path.join(home, 'a b$c'.repeat(20));
  await mkdir(long, { mode: 0o755 });

  const database = await openDatabase({ url: undefined, home: long });

  expect(database.connection.host).toMatch(/reborn-\w{12}$/);
  expect(await ask(database.connection, 'select 1')).toEqual([1]);
  await database.close();
  expect(existsSync(String(database.connection.host))).toBe(false);
});
