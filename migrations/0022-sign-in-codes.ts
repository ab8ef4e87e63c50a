import { type Kysely, sql } from 'kysely';

/**
 * A session has a second secret, its key, which the browser keeps for one origin, because a cookie is sent to every port of
 * its host. Sessions without a key are deleted. A sign-in link contains a code that opens one session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`set local app.identities = 'on'`.execute(db);
  await sql`delete from sessions`.execute(db);
  await sql`alter table sessions add column key_hash bytea not null, add column method text not null`.execute(db);
  await sql`
    create table sign_in_codes (
      hash bytea primary key,
      user_id text not null,
      token_hash bytea,
      session_until timestamptz,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index sign_in_codes_by_end on sign_in_codes (expires_at)`.execute(db);
  await sql`alter table sign_in_codes enable row level security`.execute(db);
  await sql`alter table sign_in_codes force row level security`.execute(db);
  await sql`
    create policy identities on sign_in_codes
    using ((select current_setting('app.identities', true)) = 'on')`.execute(db);
  await sql`set local app.identities = ''`.execute(db);
}
