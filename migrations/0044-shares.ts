import { type Kysely, sql } from 'kysely';

/** Threads that anyone with a link can read, up to the item that was the newest when they were shared. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shares (
      thread_id uuid primary key references threads on delete cascade,
      user_id text not null,
      hash bytea not null unique,
      through_seq integer not null,
      through_position integer not null,
      with_tools boolean not null,
      with_attachments boolean not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index shares_by_user on shares (user_id)`.execute(db);
  await sql`alter table shares enable row level security`.execute(db);
  await sql`alter table shares force row level security`.execute(db);
  await sql`
    create policy owner on shares using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  // The certificate of an erasure counts what it deletes, so shares are deleted before the cascade takes them.
  await sql`
    do $do$ begin
      execute replace(pg_get_functiondef('erase_threads'::regproc), '''{items,', '''{shares,items,');
    end $do$`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
