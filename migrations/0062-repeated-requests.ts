import { type Kysely, sql } from 'kysely';

/**
 * When the reply of a turn that is not to be stored was delivered: such a turn stays only while it waits for a caller's tool.
 * And the digests of requests that client libraries repeat by themselves, to find the turn of an earlier try.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table unstored_turns add column delivered_at timestamptz`.execute(db);
  await sql`
    create table request_tries (
      turn_id uuid primary key,
      user_id text not null,
      digest text not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index request_tries_by_digest on request_tries (user_id, digest)`.execute(db);
  await sql`create index request_tries_by_age on request_tries using brin (created_at)`.execute(db);
  await sql`alter table request_tries enable row level security`.execute(db);
  await sql`alter table request_tries force row level security`.execute(db);
  await sql`
    create policy owner on request_tries using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
