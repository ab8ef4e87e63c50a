import pg from 'pg';
import { buildStatement, INDEX_PREFIX, MAX_DIMENSIONS, type NoteIndex, nameOf } from './note-index.ts';
import { findPgvector } from './pgvector.ts';

export type IndexPlan = {
  /** Indexes that must exist. */
  readonly wanted: readonly NoteIndex[];
  /** Indexes that may stay if they exist, but are not built. */
  readonly tolerated: readonly NoteIndex[];
};

/** How many indexes were built and dropped, and why others can't be built, as a message for the operator. */
export type IndexReport = { readonly built: number; readonly dropped: number; readonly problem?: string };

/** An arbitrary lock number that no other program on this database uses. */
const INDEX_LOCK = 7_267_332_668;
/** The default is too small for this kind of index: when it is exceeded, building takes many times as long. */
const MEMORY = '256MB';

/**
 * Builds and drops indexes until they match the plan, unless another replica is doing so. It blocks no other query.
 * When `signal` aborts, PostgreSQL still finishes the statement it has started.
 */
export async function buildNoteIndexes(
  connection: pg.ClientConfig,
  plan: IndexPlan,
  signal: AbortSignal,
): Promise<IndexReport> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails the query, which reports it
  await client.connect();
  const leave = () => void client.end();
  signal.addEventListener('abort', leave);
  try {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [INDEX_LOCK]);
    return rows[0]?.mine && !signal.aborted ? await carryOut(client, plan) : NOTHING_DONE;
  } catch (error) {
    if (signal.aborted) return NOTHING_DONE;
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
    await client.end();
  }
}

const NOTHING_DONE: IndexReport = { built: 0, dropped: 0 };

async function carryOut(client: pg.Client, { wanted, tolerated }: IndexPlan): Promise<IndexReport> {
  await client.query('set statement_timeout = 0'); // the timeout for queries is too short for building an index
  const present = await listIndexes(client);
  const mayStay = new Set([...wanted, ...tolerated].map(nameOf));
  // An invalid index was left by a failed build: a build in progress would hold the lock.
  const useless = present.filter(({ name, valid }) => !valid || !mayStay.has(name));
  for (const { name } of useless) await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`);

  const there = new Set(present.filter(({ valid }) => valid).map(({ name }) => name));
  const missing = wanted.filter((index) => index.dimensions <= MAX_DIMENSIONS && !there.has(nameOf(index)));
  if (missing.length === 0) return { built: 0, dropped: useless.length };

  const pgvector = await findPgvector(client);
  if (typeof pgvector !== 'object')
    return { built: 0, dropped: useless.length, ...(pgvector && { problem: pgvector }) };
  // Parallel workers would share the memory, and containers often have too little shared memory for them.
  await client.query(`set maintenance_work_mem = '${MEMORY}'; set max_parallel_maintenance_workers = 0`);
  for (const index of missing) await client.query(buildStatement(index, pgvector.schema));
  return { built: missing.length, dropped: useless.length };
}

async function listIndexes(client: pg.Client): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `select relname::text as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = 'notes'::regclass and starts_with(relname::text, $1)`,
    [INDEX_PREFIX],
  );
  return rows;
}
