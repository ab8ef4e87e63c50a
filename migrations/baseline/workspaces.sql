-- The files that the agent and the person work on, in versions. A thread's own workspace has the id of the thread. Callers see one
-- without a thread as a container: it has a name, and can expire so many minutes after it was last used.
-- `is_foreign`: others may have written something in it; it stays so. `files` and `bytes` are those of the newest version, `head`.
create table workspaces (
  id uuid primary key,
  user_id text not null,
  thread_id uuid unique references threads (id) on delete cascade,
  head integer not null default 0,
  files integer not null default 0,
  bytes bigint not null default 0,
  is_foreign boolean not null default false,
  name text,
  expires_minutes integer,
  last_active_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index workspaces_by_user on workspaces (user_id);
create index containers_by_user on workspaces (user_id, id) where thread_id is null;
create index workspaces_that_expire on workspaces (id) where expires_minutes is not null;
alter table workspaces enable row level security, force row level security;
create policy owner on workspaces using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- What made a version: a call of the turn's tool, a message with files, the person, the restoring of an older one, or a copy.
create table workspace_versions (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  version integer not null,
  user_id text not null,
  cause text not null check (cause in ('call', 'message', 'person', 'restore', 'copy')),
  turn_id uuid,
  item_id uuid,
  environment text,
  created_at timestamptz not null default now(),
  primary key (workspace_id, version)
);
create index workspace_versions_by_user on workspace_versions (user_id);
alter table workspace_versions enable row level security, force row level security;
create policy owner on workspace_versions using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- What a version changed: files with the hash of their bytes, which are an attachment; null where a file was removed.
create table workspace_files (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  path text not null,
  version integer not null,
  user_id text not null,
  sha256 text,
  bytes integer not null,
  mode smallint not null,
  primary key (workspace_id, path, version)
);
create index workspace_files_by_hash on workspace_files (user_id, sha256);
alter table workspace_files enable row level security, force row level security;
create policy owner on workspace_files using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
