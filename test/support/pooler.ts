import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findFreePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

/** Debian's PgBouncer in front of a server, with these settings. */
export async function startPooler(server: pg.PoolConfig, settings: Record<string, string | number>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-pooler-'));
  await chmod(folder, 0o755); // as root, the pooler runs as another user
  const port = await findFreePort();
  const { host = '', port: serverPort = 5432, password, database, user } = server;
  const isSocket = path.isAbsolute(host);
  const target = isSocket ? `host=${host}` : `host=${host} port=${serverPort}`;
  const all = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any', ...settings };
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
through = ${target} dbname=${database} user=${user} password=${String(password)}
[pgbouncer]
admin_users = reborn
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`,
  );
  // It refuses to run as root, and only the owner of the server may use its socket.
  const { uid, gid } = isSocket
    ? await stat(host)
    : process.getuid?.() === 0
      ? NOBODY
      : { uid: undefined, gid: undefined };
  const child = spawn('/usr/sbin/pgbouncer', ['-q', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid !== undefined && { uid, gid }),
  });
  const log: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  const urlOf = (name: string) => `postgres://reborn:any@127.0.0.1:${port}/${name}`;
  try {
    await waitFor('the pooler to answer', async () => {
      if (child.exitCode !== null) throw new Error(`The pooler ended: ${log.join('')}`);
      return isAnswering(urlOf('through'));
    });
  } catch (error) {
    await stop(child);
    throw new Error(log.join(''), { cause: error });
  }
  return {
    url: urlOf('through'),
    /** The database of its administration, which answers `show pools` and the like. */
    adminUrl: urlOf('pgbouncer'),
    /** Opens connections to the server at the same time, so that the pooler has several to choose from. */
    async warmUp(count: number) {
      const clients = Array.from({ length: count }, () => new pg.Client(urlOf('through')));
      await Promise.all(clients.map((client) => client.connect()));
      await Promise.all(clients.map((client) => client.query('select pg_sleep(0.2)')));
      await Promise.all(clients.map((client) => client.end()));
    },
    async [Symbol.asyncDispose]() {
      await stop(child);
      await rm(folder, { recursive: true });
    },
  };
}

const NOBODY = { uid: 65_534, gid: 65_534 };

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
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(5000) }).catch(() => {});
  child.kill('SIGINT');
  await ended;
  child.kill('SIGKILL');
}
