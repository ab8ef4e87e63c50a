import { sql } from 'kysely';
import type { Audited } from './audit.ts';
import type { Database, OwnedTransaction } from './connection.ts';

/** A setting of the whole installation, as it was stored; whoever reads it checks its shape. */
export async function readSetting(db: Database, name: string): Promise<unknown> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(trx: Audited<OwnedTransaction>, name: string, value: object): Promise<void> {
  const json = JSON.stringify(value);
  await trx
    .insertInto('settings')
    .values({ name, value: json })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: json, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** The settings whose names begin with `prefix`, by name. */
export function listSettings(db: Database, prefix: string): Promise<{ name: string; value: object }[]> {
  return db
    .selectFrom('settings')
    .select(['name', 'value'])
    .where((row) => row.fn('starts_with', ['name', row.val(prefix)]), '=', true)
    .orderBy('name')
    .execute();
}

/** Whether there was one. */
export async function deleteSetting(trx: Audited<OwnedTransaction>, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('settings').where('name', '=', name).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Writes the setting unless there is one, and says whether it did. Of several that come at once the first is kept, when it commits. */
export async function claimSetting(trx: Audited<OwnedTransaction>, name: string, value: object): Promise<boolean> {
  const row = await trx
    .insertInto('settings')
    .values({ name, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads it and keeps it until the transaction ends: from being changed (`share`), or for this transaction alone. */
export async function lockSetting(trx: OwnedTransaction, name: string, lock: 'share' | 'update'): Promise<unknown> {
  const query = trx.selectFrom('settings').select('value').where('name', '=', name);
  const row = await (lock === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst();
  return row?.value;
}
