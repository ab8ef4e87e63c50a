import { type Kysely, sql } from 'kysely';

/** Updates that were refused, such as mail whose sender is not proven, are counted by account. Their reason is in `error`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index chat_inbox_refused on chat_inbox (account_id) where state = 'done' and error is not null`.execute(
    db,
  );
}

export const worksWith = '0022-sign-in-codes';
