import { type Kysely, sql } from 'kysely';

/** Texts that a user sends often, with variables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table prompt_templates (
      user_id text not null,
      name text not null,
      text text not null,
      updated_at timestamptz not null default now(),
      primary key (user_id, name)
    )`.execute(db);
  await sql`alter table prompt_templates enable row level security`.execute(db);
  await sql`alter table prompt_templates force row level security`.execute(db);
  await sql`
    create policy owner on prompt_templates using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
