import pg from 'pg';

export type EnginePool = pg.Pool;

/**
 * The mark opens the engine's branch of the row-level policies; nothing outside this folder may set it. The limits free
 * what a frozen client holds, and give up on what can't be had; the plan is made once per connection.
 */
const SESSION = `
  set app.engine = 'on';
  set plan_cache_mode = force_generic_plan;
  set statement_timeout = '15s';
  set lock_timeout = '3s';
  set idle_in_transaction_session_timeout = '5s';
  set tcp_user_timeout = '15s'`;

/** A statement that isn't answered by then is given up, and its connection with it. */
const ANSWER_MS = 16_000;

const LINE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
  connectionTimeoutMillis: 5000,
  query_timeout: ANSWER_MS,
} satisfies pg.PoolConfig;

/** The engine moves turns of all users, so its connections carry a mark that opens their rows. */
export function connectEngine(connection: pg.PoolConfig, onError: (error: unknown) => void): EnginePool {
  const pool = new pg.Pool({
    max: 6,
    ...connection,
    ...LINE,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its types don't say so
    onConnect: (client) => client.query(SESSION),
  });
  pool.on('error', onError);
  return pool;
}

/** One connection outside the pool, for what belongs to a session: LISTEN and advisory locks. */
export async function connectEngineClient(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, ...LINE });
  client.on('error', onError); // from the first moment on: unheard, it would end the process
  await client.connect();
  await client.query(SESSION);
  return client;
}
