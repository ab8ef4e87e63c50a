import pg from 'pg';

export type EnginePool = pg.Pool;
export type EngineTransaction = Pick<pg.PoolClient, 'query'>;

const MARK = `set app.engine = 'on'`;

/**
 * The engine moves turns of all users, so its connections carry a mark that opens a branch of their own in the
 * row-level policies. Nothing outside this folder may set it.
 */
export function connectEngine(connection: pg.PoolConfig, onError: (error: unknown) => void): EnginePool {
  const pool = new pg.Pool({
    max: 8,
    ...connection,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its types don't say so
    onConnect: (client) => client.query(MARK),
  });
  pool.on('error', onError);
  return pool;
}

/** One connection outside the pool, with the same mark, for what belongs to a session: LISTEN and the presence lock. */
export async function connectEngineClient(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, keepAlive: true });
  client.on('error', onError); // from the first moment on: unheard, it would end the process
  await client.connect();
  await client.query(MARK);
  return client;
}

export async function inTransaction<T>(pool: EnginePool, act: (trx: EngineTransaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await act(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true; // the connection is gone: it must not go back into the pool
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
