import { type Kysely, sql } from 'kysely';
import { readApplied } from './schema-state.ts';

/** A concurrent build waits for running transactions, but blocks none. */
const LOCK_TIMEOUT = '10min';

/**
 * Builds the indexes that migrations have declared. A build that was interrupted leaves an invalid index behind, which is
 * dropped and built again at the next start. Call it under the migration lock, and outside of a transaction.
 */
export async function buildPendingIndexes(db: Kysely<unknown>): Promise<void> {
  const applied = await readApplied(async (statement) => (await sql.raw(statement).execute(db)).rows);
  const waiting = applied.filter(({ pendingIndexes }) => pendingIndexes !== null);
  if (waiting.length === 0) return;
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, false)`.execute(db);
  for (const { name, pendingIndexes } of waiting) {
    for (const index of pendingIndexes ?? []) await build(db, index);
    await sql`update kysely_migration set pending_indexes = null where name = ${name}`.execute(db);
  }
}

async function build(db: Kysely<unknown>, definition: string): Promise<void> {
  const [name = ''] = definition.split(' ', 1);
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  if (rows[0]?.valid) return;
  if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(db);
  await sql`create index concurrently ${sql.raw(definition)}`.execute(db);
}
