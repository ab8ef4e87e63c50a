import pg from 'pg';
import { DatabaseUnavailable } from './database-unavailable.ts';
import { readServerVersion } from './server-version.ts';

const PATIENCE_MILLISECONDS = 10_000;

/** Checks once that an external server answers, is new enough, and gives each connection its own session. */
export async function reachExternal(url: string): Promise<{ connection: pg.PoolConfig; version: string }> {
  const [client, second] = [clientFor(url), clientFor(url)];
  for (const each of [client, second]) each.on('error', () => {}); // a connection lost while idle; the next query reports it
  try {
    await client.connect();
    const version = await readServerVersion(client);
    await second.connect();
    if (await isPooledByTransaction(client, second)) throw pooled(client);
    return { connection: { connectionString: url }, version };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(
      `Cannot use the PostgreSQL at ${client.host}, port ${client.port}, database "${client.database}": ` +
        `${reasonOf(error)}. Check DATABASE_URL and that the server is running.`,
    );
  } finally {
    await Promise.all([client, second].map((each) => each.end().catch(() => {})));
  }
}

function pooled({ host, port }: pg.Client): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `The PostgreSQL at ${host}, port ${port}, is behind a connection pooler in transaction mode, which Reborn can't use: ` +
      'it needs LISTEN, advisory locks and settings that last for a session. ' +
      'Point DATABASE_URL at the server itself, or switch the pooler to session mode.',
  );
}

function clientFor(url: string): pg.Client {
  if (!hidesPassword(url)) {
    try {
      return new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MILLISECONDS });
    } catch {
      // The parser's error contains the whole URL, including the password, so it is not passed on.
    }
  }
  throw new DatabaseUnavailable(
    'DATABASE_URL is not a valid address. Write postgres://user:password@host:5432/database, ' +
      'with special characters in the password percent-encoded.',
  );
}

/** A password with an unencoded "/" or "#" would be parsed as host and port, and appear in errors. */
function hidesPassword(url: string): boolean {
  return url.includes('@') && URL.canParse(url) && new URL(url).username === '' && !/[?&]\w+=[^&]*@/.test(url);
}

/** A refused connection to a host with several addresses is an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/**
 * Whether a pooler assigns a server process for one transaction at a time. LISTEN, advisory locks and settings belong to a
 * server process, so they would be lost or appear in another client's session.
 *
 * `first` and `second` are two open connections. Each must keep its own process. `first` asks twice in a row, in order to
 * detect a pooler that uses its processes in rotation.
 */
async function isPooledByTransaction(first: pg.Client, second: pg.Client): Promise<boolean> {
  const processes: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (const which of [0, 0, 1, 0, 1, 1] as const) {
    const { rows } = await (which === 0 ? first : second).query<{ pid: number }>('select pg_backend_pid() as pid');
    processes[which].add(rows[0]?.pid ?? 0);
  }
  return processes[0].size > 1 || processes[1].size > 1 || !processes[0].isDisjointFrom(processes[1]);
}
