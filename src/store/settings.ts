import { sql } from 'kysely';
import type { Audited } from './audit.ts';
import type { Database, OwnedTransaction } from './connection.ts';

/** A setting of the whole installation, as stored; the caller validates its shape. */
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

/** The settings whose names start with `prefix`, by name. */
export function listSettings(db: Database, prefix: string): Promise<{ name: string; value: object }[]> {
  return db
    .selectFrom('settings')
    .select(['name', 'value'])
    .where((row) => row.fn('starts_with', ['name', row.val(prefix)]), '=', true)
    .orderBy('name')
    .execute();
}

/** Returns whether there was one. */
export async function deleteSetting(trx: Audited<OwnedTransaction>, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('settings').where('name', '=', name).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Writes the setting unless it exists, and returns whether it did. Of concurrent writers, the first to commit wins. */
export async function claimSetting(trx: Audited<OwnedTransaction>, name: string, value: object): Promise<boolean> {
  const row = await trx
    .insertInto('settings')
    .values({ name, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads the setting and locks it until the transaction ends: against changes (`share`), or exclusively (`update`). */
export async function lockSetting(trx: OwnedTransaction, name: string, lock: 'share' | 'update'): Promise<unknown> {
  const query = trx.selectFrom('settings').select('value').where('name', '=', name);
  const row = await (lock === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst();
  return row?.value;
}
