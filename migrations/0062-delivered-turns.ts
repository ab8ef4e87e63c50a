import { type Kysely, sql } from 'kysely';

/** When the reply of a turn that is not to be stored was delivered. Such a turn stays only while it waits for a caller's tool. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table unstored_turns add column delivered_at timestamptz`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
