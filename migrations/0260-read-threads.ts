import { type Kysely, sql } from 'kysely';

/** When its owner last had a thread before them; those that are there have been read. A replica of the version before never says so. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads add column read_at timestamptz not null default now()`.execute(db);
}
