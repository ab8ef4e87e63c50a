import { type Kysely, sql } from 'kysely';

/** Turns whose callers want nothing kept. They are deleted when their response was delivered, or an hour after their end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No foreign key: a row is written before its turn, so that no crash leaves such a turn without one.
  await sql`
    create table unstored_turns (
      turn_id uuid primary key,
      user_id text not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`alter table unstored_turns enable row level security`.execute(db);
  await sql`alter table unstored_turns force row level security`.execute(db);
  await sql`
    create policy owner on unstored_turns using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
