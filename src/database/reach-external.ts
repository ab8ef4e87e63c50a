import pg from 'pg';
import { DatabaseUnavailable } from './database-unavailable.ts';
import { readServerVersion } from './server-version.ts';

const PATIENCE_MILLISECONDS = 10_000;

/** Checks once that somebody else's server answers and is new enough. */
export async function reachExternal(url: string): Promise<{ connection: pg.PoolConfig; version: string }> {
  const client = clientFor(url);
  client.on('error', () => {}); // a connection cut while idle; the next query reports it
  try {
    await client.connect();
    return { connection: { connectionString: url }, version: await readServerVersion(client) };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(
      `Cannot use the PostgreSQL at ${client.host}, port ${client.port}, database "${client.database}": ` +
        `${reasonOf(error)}. Check DATABASE_URL and that the server runs.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}

function clientFor(url: string): pg.Client {
  if (!hidesPassword(url)) {
    try {
      return new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MILLISECONDS });
    } catch {
      // The parser's error holds the whole url, password included, so it is not passed on.
    }
  }
  throw new DatabaseUnavailable(
    'DATABASE_URL is not a valid address. Write postgres://user:password@host:5432/database, ' +
      'with special characters in the password percent-encoded.',
  );
}

/** With an unencoded "/" or "#" in it, a password would be taken for the host and port, and be named in errors. */
function hidesPassword(url: string): boolean {
  return url.includes('@') && URL.canParse(url) && new URL(url).username === '' && !/[?&]\w+=[^&]*@/.test(url);
}

/** A refused connection to a host with several addresses is an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return error.message || ('code' in error ? String(error.code) : error.name);
}
