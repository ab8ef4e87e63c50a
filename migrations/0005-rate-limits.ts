import { type Kysely, sql } from 'kysely';

/** The uses of each caller in the current window. Unlogged: a crash of PostgreSQL only starts new windows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_limits (
      key text primary key,
      used integer not null,
      resets_at timestamptz not null
    )`.execute(db);
}
