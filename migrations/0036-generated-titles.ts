import { type Kysely, sql } from 'kysely';

/** Titles that a model has given. A title from a person is in `title` and goes before it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads add column generated_title text`.execute(db);
  // The threads that wait for a title. A row goes when its thread has one or is gone, or after the last try.
  await sql`
    create table title_requests (
      thread_id uuid primary key,
      user_id text not null,
      tries smallint not null default 0,
      due_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index title_requests_by_due on title_requests (due_at)`.execute(db);
  await sql`alter table title_requests enable row level security`.execute(db);
  await sql`alter table title_requests force row level security`.execute(db);
  await sql`
    create policy owner on title_requests using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
