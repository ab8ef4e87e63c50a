-- Installed tools, which belong to the whole installation. `reads_revision`: the version of which the operator has said
-- that it only reads.
create table tools (
  name text primary key,
  hash text not null,
  wit_version text not null,
  description text not null,
  parameters json not null,
  capabilities json not null,
  revision uuid not null,
  installed_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reads_revision uuid
);

-- The code of installed tools, so that every replica has it.
create table component_files (
  hash text not null,
  path text not null,
  content bytea not null,
  primary key (hash, path)
);
alter table component_files alter column content set storage external;

-- Encrypted secrets, one row for each owner and name. An empty owner is refused, because in a session without an owner
-- the setting may be the empty string.
create table secrets (
  user_id text not null check (user_id <> ''),
  name text not null,
  ciphertext bytea not null,
  key_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (user_id, name)
);
create index secrets_of_mcp_servers on secrets (name) where name like 'mcp.%';
alter table secrets enable row level security, force row level security;
create policy owner on secrets using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- MCP servers whose tools the agent can call; those of `*` are shared with all users.
create table mcp_servers (
  id uuid not null unique,
  user_id text not null check (user_id <> ''),
  name text not null,
  url text not null,
  private_network boolean not null,
  trust_annotations boolean not null,
  headers json not null,
  discovery json not null,
  tools json not null,
  left_out json not null,
  accepted json not null,
  problem text,
  failures integer not null default 0,
  listed_at timestamptz not null default now(),
  refresh_at timestamptz not null,
  created_at timestamptz not null default now(),
  oauth json,
  command json,
  offers json not null default '{"resources":false,"prompts":[]}',
  primary key (user_id, name)
);
alter table mcp_servers enable row level security, force row level security;
create policy owner on mcp_servers using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- When the servers last changed: one row, which every turn reads.
create table mcp_version (
  one boolean primary key default true check (one),
  changed_at timestamptz not null default clock_timestamp()
);

-- Added skills with all their files; those of `*` are shared with all users.
create table skills (
  user_id text not null check (user_id <> ''),
  name text not null,
  description text not null,
  files json not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, name)
);
alter table skills enable row level security, force row level security;
create policy owner on skills using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
