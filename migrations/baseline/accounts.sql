-- Users. No owner is set during authentication, so these tables have a separate setting that opens them, which only the
-- identity connections use. An email is free again once its user is removed; an identity is not, or a removed user
-- could sign in again.
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
);
create unique index users_by_email on users (email) where removed_at is null;
create unique index users_by_identity on users (oidc_issuer, oidc_subject);
create index users_by_removal on users (removed_at) where removed_at is not null;
alter table users enable row level security, force row level security;
create policy identities on users using ((select current_setting('app.identities', true)) = 'on');

-- API tokens.
create table tokens (
  id uuid primary key,
  user_id text not null references users (id),
  name text not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index tokens_by_user on tokens (user_id, id);
alter table tokens enable row level security, force row level security;
create policy identities on tokens using ((select current_setting('app.identities', true)) = 'on');

-- Sessions of browsers. A session has a second secret, its key, which the browser keeps for one origin, because a
-- cookie is sent to every port of its host. No foreign key: the operator signs in too and has no row. `token_hash` is
-- the token that opened the session.
create table sessions (
  id uuid primary key,
  user_id text not null,
  hash bytea not null unique,
  token_hash bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default now(),
  key_hash bytea not null,
  method text not null
);
create index sessions_by_end on sessions (expires_at);
create index sessions_by_user on sessions (user_id);
alter table sessions enable row level security, force row level security;
create policy identities on sessions using ((select current_setting('app.identities', true)) = 'on');

-- Sign-ins through an identity provider that are under way.
create table sign_ins (
  hash bytea primary key,
  state text not null,
  nonce text not null,
  verifier text not null,
  expires_at timestamptz not null
);
create index sign_ins_by_end on sign_ins (expires_at);
alter table sign_ins enable row level security, force row level security;
create policy identities on sign_ins using ((select current_setting('app.identities', true)) = 'on');

-- A sign-in link contains a code that opens one session.
create table sign_in_codes (
  hash bytea primary key,
  user_id text not null,
  token_hash bytea,
  session_until timestamptz,
  expires_at timestamptz not null
);
create index sign_in_codes_by_end on sign_in_codes (expires_at);
alter table sign_in_codes enable row level security, force row level security;
create policy identities on sign_in_codes using ((select current_setting('app.identities', true)) = 'on');

-- What each user has chosen for themselves. A user without a row has the defaults.
create table preferences (
  user_id text primary key,
  default_model text,
  generate_titles boolean not null default true,
  updated_at timestamptz not null default now()
);
alter table preferences enable row level security, force row level security;
create policy owner on preferences using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Settings that the operator changes while the service runs, such as the named model routes.
create table settings (
  name text primary key,
  value json not null,
  updated_at timestamptz not null default now()
);

-- Changes to the installation, and who made them. Every session may append; only the identity connections may read. The
-- engine may delete old entries, through `purge_audit` only, and the policy holds even if the function errs.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text,
  detail json not null default '{}'
);
alter table audit enable row level security, force row level security;
create policy append on audit for insert with check (true);
create policy engine on audit for select using ((select current_setting('app.engine', true)) = 'on');
create policy engine_purge on audit for delete using (((select current_setting('app.engine', true)) = 'on') and (at < (now() - interval '90 days')));
create policy engine_redact on audit for update using ((select current_setting('app.engine', true)) = 'on');
create policy identities on audit for select using ((select current_setting('app.identities', true)) = 'on');
