import { type Kysely, sql } from 'kysely';

/** Folders for threads. A deleted folder leaves its threads. The owner is part of the reference: RLS does not apply to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table folders (
      user_id text not null,
      id uuid not null,
      name text not null,
      created_at timestamptz not null default now(),
      primary key (user_id, id)
    )`.execute(db);
  await sql`alter table folders enable row level security`.execute(db);
  await sql`alter table folders force row level security`.execute(db);
  await sql`
    create policy owner on folders using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  await sql`alter table threads add column folder_id uuid`.execute(db);
  await sql`
    alter table threads add constraint threads_folder foreign key (user_id, folder_id) references folders
      on delete set null (folder_id) not valid`.execute(db);
}

export const indexes = ['threads_by_folder on threads (user_id, folder_id, updated_at) where folder_id is not null'];

export const worksWith = '0022-sign-in-codes';
