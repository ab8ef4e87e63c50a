// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../test/support/free-port.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { makeHome, removeHome } from './embedded/owner-process.test-support.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

let home: string;
let server: OpenDatabase;
let folder: string;

beforeAll(async () => {
  [home, folder] = await Promise.all([makeHome(), mkdtemp(path.join(tmpdir(), 'reborn-pooler-'))]);
  await chmod(folder, 0o755); // as root, the pooler runs as another user
  server = await openDatabase({ url: undefined, home });
});

afterAll(async () => {
  await server.close();
  await removeHome(home);
  await rm(folder, { recursive: true });
});

test.each([
  ['transaction', 0],
  ['transaction', 1],
  ['statement', 0],
] as const)('a pooler in %s mode is refused, with round robin %i', async (mode, inTurns) => {
  await using pooler = await startPooler(mode, inTurns);
  await pooler.warmUp(2);
  await expect(openDatabase({ url: pooler.url, home: '/nowhere' })).rejects.toThrow(
    /is behind a connection pooler in transaction mode, which Reborn can't use/,
  );
});

test('a pooler in session mode is used', async () => {
  await using pooler = await startPooler('session', 0);
  expect(await openDatabase({ url: pooler.url, home: '/nowhere' })).toMatchObject({ version: server.version });
});

async function startPooler(mode: string, inTurns: number) {
  const port = await findFreePort();
  const { host, password, database, user } = server.connection;
  const file = path.join(folder, `${port}.ini`);
  await writeFile(
    file,
    `[databases]
through = host=${host} dbname=${database} user=${user} password=${String(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
server_round_robin = ${inTurns}
`,
  );
  const { uid, gid } = await stat(String(host)); // only this user may use its socket, and pgbouncer refuses to run as root
  const child = spawn('/usr/sbin/pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
  const log: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  const url = `postgres://reborn:any@127.0.0.1:${port}/through`;
  try {
    await waitFor('the pooler to answer', async () => {
      if (child.exitCode !== null) throw new Error(`The pooler ended: ${log.join('')}`);
      return isAnswering(url);
    });
  } catch (error) {
    await stop(child);
    throw new Error(log.join(''), { cause: error });
  }
  return {
    url,
    /** Opens connections to the server at the same time, so that the pooler has several to choose from. */
    async warmUp(count: number) {
      const clients = Array.from({ length: count }, () => new pg.Client(url));
      await Promise.all(clients.map((client) => client.connect()));
      await Promise.all(clients.map((client) => client.query('select pg_sleep(0.2)')));
      await Promise.all(clients.map((client) => client.end()));
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => {}); // its query reports it
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
  child.kill('SIGKILL');
}
