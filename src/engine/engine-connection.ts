import pg from 'pg';
import type { CreatePool } from '#store/connection.ts';

/** What the engine needs of a pool: single statements. No caller holds a connection while it waits for another one. */
export type EnginePool = Pick<pg.Pool, 'query'>;

/**
 * `app.engine` opens the engine's branch of the row-level policies; only this folder may set it. The timeouts release
 * locks held by a frozen client and abandon statements that wait too long. The generic plan is made once per connection.
 */
const SESSION = `
  set app.engine = 'on';
  set plan_cache_mode = force_generic_plan;
  set statement_timeout = '15s';
  set lock_timeout = '3s';
  set idle_in_transaction_session_timeout = '5s';
  set tcp_user_timeout = '15s'`;

/** A statement without an answer after this time fails, and its connection is closed. */
const ANSWER_MS = 16_000;

const LINE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
  connectionTimeoutMillis: 5000,
  query_timeout: ANSWER_MS,
} satisfies pg.PoolConfig;

/** The engine moves turns of all users, so its connections set `app.engine`, which opens all users' rows. */
export function connectEngine(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
  createPool: CreatePool = (config) => new pg.Pool(config),
): pg.Pool {
  const pool = createPool({
    ...connection,
    ...LINE,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its types don't say so
    onConnect: (client) => client.query(SESSION),
  });
  pool.on('error', onError);
  return pool;
}

/**
 * At most `most` statements at a time on the pool, the others wait here. Reads that any number of requests and streams can
 * cause go through it, and so do purges and erasures, so that a connection is left for the statements that move turns.
 */
export function limitStatements(pool: EnginePool, most: number): EnginePool {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function query(...args: unknown[]): Promise<unknown> {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await (pool.query as (...passed: unknown[]) => Promise<unknown>)(...args);
    } finally {
      const next = waiting.shift(); // takes over this place
      if (next) next();
      else running--;
    }
  }
  return { query: query as EnginePool['query'] };
}

/** One connection outside the pool, for session-level features: LISTEN and advisory locks. */
export async function connectEngineClient(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, ...LINE });
  client.on('error', onError); // attached before connecting: an unhandled error would end the process
  await client.connect();
  await client.query(SESSION);
  return client;
}
