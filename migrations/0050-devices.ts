import { type Kysely, sql } from 'kysely';

/** Browsers that get notifications by Web Push. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table devices (
      id uuid primary key,
      user_id text not null,
      name text not null,
      endpoint text not null,
      public_key bytea not null,
      auth bytea not null,
      events text[] not null,
      details boolean not null,
      session_hash bytea,
      created_at timestamptz not null default now(),
      unique (user_id, endpoint)
    )`.execute(db);
  await sql`create index devices_by_session on devices (session_hash)`.execute(db);
  await sql`alter table devices enable row level security`.execute(db);
  await sql`alter table devices force row level security`.execute(db);
  await sql`
    create policy owner on devices using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  // Removing a user or a session also removes the devices.
  await sql`
    create policy identities on devices using ((select current_setting('app.identities', true)) = 'on')`.execute(db);
  for (const statement of [FORGET_SESSION, SESSION_TRIGGER, FORGET_TOKEN, TOKEN_TRIGGER])
    await sql.raw(statement).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/** A browser that is signed out gets nothing more. A session that expires leaves its device: it can be answered after a new sign-in. */
const FORGET_SESSION = `
create function forget_devices_of_session() returns trigger language plpgsql as $$
begin
  delete from devices where session_hash = old.hash;
  return null;
end $$`;
const SESSION_TRIGGER = `
create trigger forget_devices after delete on sessions for each row
when (old.expires_at > now()) execute function forget_devices_of_session()`;

/** Revoking a token ends the sessions that it opened. */
const FORGET_TOKEN = `
create function forget_devices_of_token() returns trigger language plpgsql as $$
begin
  delete from devices using sessions where sessions.token_hash = new.hash and session_hash = sessions.hash;
  return null;
end $$`;
const TOKEN_TRIGGER = `
create trigger forget_devices after update of revoked_at on tokens for each row
when (old.revoked_at is null and new.revoked_at is not null) execute function forget_devices_of_token()`;
