import { type Kysely, sql } from 'kysely';

/** The columns of a list of threads, stored with the thread so that no body has to be read; and which replicas have followers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table threads
      add column title text,
      add column opening text not null default '',
      add column preview text not null default '',
      add column pinned boolean not null default false,
      add column archived boolean not null default false`.execute(db);
  await sql`create index threads_by_update on threads (user_id, pinned, updated_at, id)`.execute(db);
  await sql`create index turns_by_end on turns using brin (ended_at)`.execute(db);
  await sql`alter table replicas add column followed boolean not null default false`.execute(db);
}
