import { type Kysely, sql } from 'kysely';

/** Encrypted secrets, one row for each owner and name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // An empty owner is refused, because in a session without an owner the setting may be the empty string.
  await sql`
    create table secrets (
      user_id text not null check (user_id <> ''),
      name text not null,
      ciphertext bytea not null,
      key_id text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (user_id, name)
    )`.execute(db);
  await sql`alter table secrets enable row level security`.execute(db);
  await sql`alter table secrets force row level security`.execute(db);
  await sql`
    create policy owner on secrets using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);

  // Finding owners with secrets under other keys needs a query across owners. This function returns only their IDs.
  // The setting is made inside the function: only a superuser may attach a custom setting to a function.
  await sql`
    create function owners_of_secrets_under_other_keys(known text[], after text, most integer) returns setof text
    language plpgsql as $$
    declare
      mark text := coalesce(current_setting('app.engine', true), '');
    begin
      perform set_config('app.engine', 'on', true);
      return query
        select distinct user_id from secrets where key_id <> all(known) and user_id > after order by user_id limit most;
      perform set_config('app.engine', mark, true);
    end
    $$`.execute(db);
}
