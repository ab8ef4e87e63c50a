// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../open-database.ts';
import {
  ask,
  isAlive,
  makeHome,
  postmasterPid,
  removeHome,
  startOwner,
  waitUntil,
} from './owner-process.test-support.ts';

let home: string;
let data: string;
beforeAll(async () => {
  home = await makeHome();
  data = path.join(home, 'postgres-18');
});
afterAll(() => removeHome(home));

function open() {
  return openDatabase({ url: undefined, home });
}

test('a second start finds the data of the first', async () => {
  const first = await open();
  await ask(first.connection, 'create table kept as select 42 as answer');
  await first.close();

  const second = await open();

  expect(await ask(second.connection, 'table kept')).toEqual([42]);
  expect(second).toMatchObject({ kind: 'embedded', version: expect.stringMatching(/^18\./) });
  await second.close();
});

test('the role is bound by row-level security, the text is UTF-8, and writes reach the disk', async () => {
  const database = await open();

  const rights = 'select rolsuper or rolbypassrls or rolcreaterole from pg_roles where rolname = current_user';
  expect(await ask(database.connection, rights)).toEqual([false]);
  const locale = "select pg_encoding_to_char(encoding), datlocale from pg_database where datname = 'reborn'";
  expect(await ask(database.connection, locale)).toEqual(['UTF8', 'C.UTF-8']);
  expect(await ask(database.connection, 'show fsync')).toEqual(['on']);
  expect(await ask(database.connection, 'show listen_addresses')).toEqual(['']);
  await database.close();
});

test('connecting needs the password, and other users cannot read it', async () => {
  const database = await open();

  const guess = { ...database.connection, password: 'guess' };
  await expect(ask(guess, 'select 1')).rejects.toThrow('password authentication failed');
  await expect(ask({ ...guess, user: 'postgres' }, 'select 1')).rejects.toThrow('password authentication failed');
  expect((await stat(path.join(home, 'postgres-18.password'))).mode & 0o777).toBe(0o600);
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  await database.close();
});

test('the server stops with its last owner, not earlier, and leaves no process behind', async () => {
  const first = await open();
  const second = await startOwner(home);
  const pid = (await postmasterPid(data)) ?? 0;

  await first.close();
  expect(await ask(second.connection, 'select 1')).toEqual([1]);
  await second.close();

  await waitUntil(async () => !(await isAlive(pid)));
  expect(existsSync(path.join(data, 'postmaster.pid'))).toBe(false);
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'the server survives an owner ended by %s, and the next start attaches',
  async (signal) => {
    const owner = await startOwner(home);
    const pid = await postmasterPid(data);
    await owner.kill(signal);

    const next = await open();

    expect(await postmasterPid(data)).toBe(pid);
    await next.close();
    expect(await postmasterPid(data)).toBeUndefined();
  },
);

test('an owner that never closes can still exit, and the next start attaches', async () => {
  const script =
    'const { openDatabase } = await import(process.argv[1]); await openDatabase({ home: process.argv[2] });';
  const module = new URL('../open-database.ts', import.meta.url).href;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script, module, home], { stdio: 'inherit' });

  expect(await once(owner, 'exit')).toEqual([0, null]);

  const pid = await postmasterPid(data);
  const next = await open();
  expect(pid).toBeGreaterThan(0);
  expect(await postmasterPid(data)).toBe(pid);
  await next.close();
});

test('the server starts even if another process has the process ID of the killed one', async () => {
  const owner = await startOwner(home);
  await ask(owner.connection, 'create table survived as select 42 as answer');
  const pid = (await postmasterPid(data)) ?? 0;
  await owner.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => !(await isAlive(pid)));
  const { uid, gid } = await stat(data);
  const stranger = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void stranger.kill());
  const left = await readFile(path.join(data, 'postmaster.pid'), 'utf8');
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock'])
    await writeFile(path.join(data, name), left.replace(/^\d+/, String(stranger.pid)));

  const next = await open();

  expect(await ask(next.connection, 'table survived')).toEqual([42]);
  await next.close();
  expect(stranger.exitCode).toBeNull();
});

test('an emptied postmaster.pid does not prevent a start', async () => {
  await writeFile(path.join(data, 'postmaster.pid'), '');

  const database = await open();

  expect(await ask(database.connection, 'select 1')).toEqual([1]);
  await database.close();
});

test('a server that was killed restarts at the same address', async () => {
  const database = await open();
  const pid = (await postmasterPid(data)) ?? 0;

  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => ![undefined, pid].includes(await postmasterPid(data)));
  await waitUntil(async () => (await ask(database.connection, 'select 1').catch(() => [])).length === 1);

  await database.close();
  expect(await postmasterPid(data)).toBeUndefined();
});

test('an owner whose connection was lost reconnects and counts as an owner', async () => {
  const database = await open();
  const other = await startOwner(home);
  const owners = "from pg_stat_activity where application_name = 'reborn-owner'";

  await ask(database.connection, `select pg_terminate_backend(pid, 5000) ${owners}`);
  await waitUntil(async () => (await ask(database.connection, `select count(*)::integer ${owners}`))[0] === 2);

  await other.close();
  expect(await ask(database.connection, 'select 1')).toEqual([1]);
  await database.close();
});
