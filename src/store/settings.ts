import { sql } from 'kysely';
import type { Database } from './connection.ts';

/** A setting of the whole installation, as it was stored; whoever reads it checks its shape. */
export async function readSetting(db: Database, name: string): Promise<unknown> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(db: Database, name: string, value: object): Promise<void> {
  const json = JSON.stringify(value);
  await db
    .insertInto('settings')
    .values({ name, value: json })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: json, updatedAt: sql<Date>`now()` }))
    .execute();
}
