import { type Kysely, sql } from 'kysely';

/** The metadata that a caller gave to a thread as a conversation. null: no caller created the thread as one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `json`, not `jsonb`, which refuses \u0000 and lone surrogates.
  await sql`alter table threads add column metadata json`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
