import { type Kysely, sql } from 'kysely';

/** What each user has chosen for themselves. A user without a row has the defaults. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table preferences (
      user_id text primary key,
      default_model text,
      generate_titles boolean not null default true,
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`alter table preferences enable row level security`.execute(db);
  await sql`alter table preferences force row level security`.execute(db);
  await sql`
    create policy owner on preferences using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
