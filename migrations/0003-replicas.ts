import { type Kysely, sql } from 'kysely';

/** The processes that run turns. A replica holds an advisory lock on its number as long as it lives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table replicas (
      id uuid primary key,
      lock_key bigint generated always as identity,
      started_at timestamptz not null default now()
    )`.execute(db);
}
