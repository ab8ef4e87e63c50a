import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { startProxy } from './tcp-proxy.ts';

/** Debian's, because the embedded PostgreSQL has no program that makes a standby. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
export const hasPrograms = existsSync(path.join(PROGRAMS, 'pg_basebackup'));

/**
 * A primary and a standby that follows it over a separate connection. While that connection is cut the standby falls behind;
 * promoted then, it is a primary that lost the newest commits.
 */
export async function startPair() {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-pair-'));
  await chmod(folder, 0o755);
  const primary = await createServer(folder, 'primary');
  await run('initdb', ['-D', primary.data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']);
  await primary.start();
  await primary.query(`create role reborn login createdb password 'pair'`, 'create database reborn owner reborn');

  const replication = await startProxy({ host: '127.0.0.1', port: primary.port });
  const standby = await createServer(folder, 'standby');
  const source = `host=127.0.0.1 port=${replication.port} user=postgres`;
  await run('pg_basebackup', ['-d', source, '-D', standby.data, '-X', 'stream', '-c', 'fast', '-R']);
  await appendFile(path.join(standby.data, 'postgresql.auto.conf'), `\nwal_retrieve_retry_interval = '200ms'\n`);
  await standby.start();

  return {
    primary: connectionTo(primary.port),
    standby: connectionTo(standby.port),
    /** Resolves when everything committed so far has reached the standby. */
    async catchUp(): Promise<void> {
      const [now] = await primary.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
      await waitFor('the standby to catch up', async () => {
        const [row] = await standby.query<{ there: boolean }>(
          `select pg_last_wal_replay_lsn() >= '${now?.lsn}'::pg_lsn as there`,
        );
        return row?.there;
      });
    },
    /** From now on commits don't reach the standby. */
    fallBehind: () => replication.break(),
    /** Stops the primary at once and promotes the standby. */
    async failOver(): Promise<void> {
      await primary.stop();
      await run('pg_ctl', ['-D', standby.data, '-w', '-s', 'promote']);
    },
    async close(): Promise<void> {
      await Promise.all([primary.stop(), standby.stop()]);
      await replication.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One server with this many connections, and a role and a database for the service. */
export async function startAlone(maxConnections: number) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-alone-'));
  await chmod(folder, 0o755);
  const server = await createServer(folder, 'alone', maxConnections);
  await run('initdb', ['-D', server.data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']);
  await server.start();
  await server.query(`create role reborn login createdb password 'pair'`, 'create database reborn owner reborn');
  return {
    connection: connectionTo(server.port),
    postmaster: Number((await readFile(path.join(server.data, 'postmaster.pid'), 'utf8')).split('\n')[0]),
    async close(): Promise<void> {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const connectionTo = (port: number) => ({
  host: '127.0.0.1',
  port,
  user: 'reborn',
  password: 'pair',
  database: 'reborn',
});

async function createServer(folder: string, name: string, maxConnections = 200) {
  const data = path.join(folder, name);
  const port = await findFreePort();
  await mkdir(data, { mode: 0o700 });
  await ownBy(data);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=${maxConnections}`;
  return {
    data,
    port,
    start: () => run('pg_ctl', ['-D', data, '-l', path.join(data, 'server.log'), '-w', '-s', '-o', options, 'start']),
    stop: async () => {
      if (existsSync(path.join(data, 'postmaster.pid')))
        await run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', '-s', 'stop']);
    },
    query: async <T extends pg.QueryResultRow>(...statements: string[]): Promise<T[]> => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
      await client.connect();
      try {
        let rows: T[] = [];
        for (const statement of statements) ({ rows } = await client.query<T>(statement));
        return rows;
      } finally {
        await client.end();
      }
    },
  };
}

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
function run(program: string, args: readonly string[]): Promise<unknown> {
  const file = path.join(PROGRAMS, program);
  return isRoot
    ? promisify(execFile)('runuser', ['-u', 'postgres', '--', file, ...args], { cwd: '/' })
    : promisify(execFile)(file, args, { cwd: '/' });
}

async function ownBy(folder: string): Promise<void> {
  if (!isRoot) return;
  const { stdout } = await promisify(execFile)('id', ['-u', 'postgres']);
  const { stdout: group } = await promisify(execFile)('id', ['-g', 'postgres']);
  await chown(folder, Number(stdout), Number(group));
}
