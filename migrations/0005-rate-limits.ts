import { type Kysely, sql } from 'kysely';

/** How much each caller has used of the present window. Unlogged: a crash of PostgreSQL only gives everybody a new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_limits (
      key text primary key,
      used integer not null,
      resets_at timestamptz not null
    )`.execute(db);
}
