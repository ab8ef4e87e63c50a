import pg from 'pg';
import { buildStatement, INDEX_PREFIX, MAX_DIMENSIONS, type NoteIndex, nameOf } from './note-index.ts';
import { findPgvector } from './pgvector.ts';

export type IndexPlan = {
  /** Those that shall be there. */
  readonly wanted: readonly NoteIndex[];
  /** Those that may stay, but are not worth building. */
  readonly tolerated: readonly NoteIndex[];
};

/** How many were built and dropped, and what keeps others from being built, in words for the operator. */
export type IndexReport = { readonly built: number; readonly dropped: number; readonly problem?: string };

/** Any number that no other program on this database uses. */
const INDEX_LOCK = 7_267_332_668;
/** The default is too small for an index of this kind: once it is full, building takes many times as long. */
const MEMORY = '256MB';

/**
 * Builds and drops indexes until they are as planned, unless another replica is at it. Nobody has to wait meanwhile.
 * When `signal` aborts, PostgreSQL goes on alone with what it has begun.
 */
export async function buildNoteIndexes(
  connection: pg.ClientConfig,
  plan: IndexPlan,
  signal: AbortSignal,
): Promise<IndexReport> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a cut line fails the query, which reports it
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
  await client.query('set statement_timeout = 0'); // what is good for a query is too short for an index
  const present = await listIndexes(client);
  const mayStay = new Set([...wanted, ...tolerated].map(nameOf));
  // One that is not valid was left behind by a build that failed: who builds holds the lock.
  const useless = present.filter(({ name, valid }) => !valid || !mayStay.has(name));
  for (const { name } of useless) await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`);

  const there = new Set(present.filter(({ valid }) => valid).map(({ name }) => name));
  const missing = wanted.filter((index) => index.dimensions <= MAX_DIMENSIONS && !there.has(nameOf(index)));
  if (missing.length === 0) return { built: 0, dropped: useless.length };

  const pgvector = await findPgvector(client);
  if (typeof pgvector !== 'object')
    return { built: 0, dropped: useless.length, ...(pgvector && { problem: pgvector }) };
  // Workers would share the memory, of which a container often has too little for them.
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
