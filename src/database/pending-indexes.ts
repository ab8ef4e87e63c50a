import { type Kysely, sql } from 'kysely';
import { readApplied } from './schema-state.ts';

/** A concurrent build waits for running transactions, but blocks none. */
const LOCK_TIMEOUT = '10min';

/**
 * Builds the indexes that migrations have declared, on tables of up to `mostBytes`, and returns whether some are left. A build
 * that was interrupted leaves an invalid index behind, which is dropped and built again. Call it under the migration lock, and
 * outside of a transaction.
 */
export async function buildPendingIndexes(db: Kysely<unknown>, mostBytes = Infinity): Promise<boolean> {
  const applied = await readApplied(async (statement) => (await sql.raw(statement).execute(db)).rows);
  const waiting = applied.filter(({ pendingIndexes }) => pendingIndexes !== null);
  if (waiting.length === 0) return false;
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, false)`.execute(db);
  let isLeft = false;
  for (const { name, pendingIndexes } of waiting) {
    const left: string[] = [];
    for (const index of pendingIndexes ?? [])
      if ((await bytesOf(db, tableOf(index))) <= mostBytes) await build(db, index);
      else left.push(index);
    await sql`update kysely_migration set pending_indexes = ${left.length > 0 ? left : null} where name = ${name}`.execute(
      db,
    );
    isLeft ||= left.length > 0;
  }
  return isLeft;
}

/** `turns_ready on turns (ready_at)` is an index of `turns`. */
export const tableOf = (index: string): string => / on (?:only )?([\w."]+)/i.exec(index)?.[1] ?? '';

async function bytesOf(db: Kysely<unknown>, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select pg_relation_size(to_regclass(${table}))::float8 as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

async function build(db: Kysely<unknown>, definition: string): Promise<void> {
  const [name = ''] = definition.split(' ', 1);
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  if (rows[0]?.valid) return;
  if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(db);
  await sql`create index concurrently ${sql.raw(definition)}`.execute(db);
}
