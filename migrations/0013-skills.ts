import { type Kysely, sql } from 'kysely';

/** Added skills with all their files; those of `*` are shared with all users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table skills (
      user_id text not null check (user_id <> ''),
      name text not null,
      description text not null,
      files json not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (user_id, name)
    )`.execute(db);
  await sql`alter table skills enable row level security`.execute(db);
  await sql`alter table skills force row level security`.execute(db);
  await sql`
    create policy owner on skills using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}
