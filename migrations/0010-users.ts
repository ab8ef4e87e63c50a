import { type Kysely, sql } from 'kysely';

/**
 * Users and their credentials. No owner is set during authentication, so these tables have a separate setting that opens
 * them, which only the identity connections use.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table users (
      id text primary key,
      name text not null,
      email text check (email = lower(email)),
      role text not null check (role in ('operator', 'member')),
      oidc_issuer text,
      oidc_subject text,
      created_at timestamptz not null default now(),
      removed_at timestamptz,
      check ((oidc_issuer is null) = (oidc_subject is null))
    )`.execute(db);
  // An email is free again once its user is removed; an identity is not, or a removed user could sign in again.
  await sql`create unique index users_by_email on users (email) where removed_at is null`.execute(db);
  await sql`create unique index users_by_identity on users (oidc_issuer, oidc_subject)`.execute(db);

  await sql`
    create table tokens (
      id uuid primary key,
      user_id text not null references users,
      name text not null,
      hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`.execute(db);
  await sql`create index tokens_by_user on tokens (user_id, id)`.execute(db);

  // No foreign key: the operator signs in too and has no row. token_hash is the token that opened the session.
  await sql`
    create table sessions (
      id uuid primary key,
      user_id text not null,
      hash bytea not null unique,
      token_hash bytea,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_seen_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index sessions_by_user on sessions (user_id)`.execute(db);
  await sql`create index sessions_by_end on sessions (expires_at)`.execute(db);

  await sql`
    create table sign_ins (
      hash bytea primary key,
      state text not null,
      nonce text not null,
      verifier text not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index sign_ins_by_end on sign_ins (expires_at)`.execute(db);

  for (const table of ['users', 'tokens', 'sessions', 'sign_ins']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy identities on ${sql.table(table)}
      using ((select current_setting('app.identities', true)) = 'on')`.execute(db);
  }
}
