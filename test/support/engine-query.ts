import pg from 'pg';

/** While a test waits for something, it asks many times a second: a query that follows soon uses the same connection. */
const KEPT_MS = 1000;
const ENGINE = { options: '-c app.engine=on' };

const pools = new Map<string, pg.Pool>();

/** Queries the tables with the engine's rights, which see the rows of all users. */
export async function engineQuery<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const pool = poolOf(connection);
  const mayBeStale = pool.idleCount > 0;
  try {
    return (await pool.query<T>(statement, values)).rows;
  } catch (error) {
    if (!mayBeStale || !isCut(error)) throw error;
    return queryOnce<T>(connection, statement, values);
  }
}

function poolOf(connection: pg.ClientConfig): pg.Pool {
  const { host, port, user, database } = connection;
  const key = [host, port, user, database].join(' ');
  const known = pools.get(key);
  if (known) return known;
  const pool = new pg.Pool({ ...connection, ...ENGINE, idleTimeoutMillis: KEPT_MS, allowExitOnIdle: true });
  pool.on('error', () => {}); // some tests cut connections; the next query opens another one
  pools.set(key, pool);
  return pool;
}

/** Some tests cut connections, or restart the server, since the last query. */
function isCut(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL';
}

async function queryOnce<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
  values: unknown[],
): Promise<T[]> {
  const client = new pg.Client({ ...connection, ...ENGINE });
  client.on('error', () => {}); // the query reports it
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
