-- What a thread waits for. `revision`: the version of the tool that was shown. `asked`: why it asks, and the further
-- calls of the card. The operator sees all open gates.
create table gates (
  id uuid primary key,
  thread_id uuid not null references threads (id) on delete cascade,
  turn_id uuid not null,
  turn_seq integer not null,
  user_id text not null,
  kind text not null check (kind in ('external-tool', 'approval', 'auth', 'pairing', 'input')),
  call json not null,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  answered_seq integer,
  revision text,
  asked json
);
create index gates_by_thread on gates (thread_id, turn_seq);
create index gates_by_turn on gates (turn_id);
create index gates_by_user on gates (user_id, id) where answered_at is null;
create unique index gates_open on gates (thread_id) where answered_at is null;
alter table gates enable row level security, force row level security;
create policy operator on gates for select using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on gates using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- One answer to one gate, valid for one run of exactly the call that was shown.
create table approvals (
  gate_id uuid not null references gates (id) on delete cascade,
  user_id text not null,
  call_id uuid not null,
  digest text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (gate_id, call_id)
);
create index approvals_by_call on approvals (call_id);
alter table approvals enable row level security, force row level security;
create policy owner on approvals using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- "Always": valid for calls of this shape, in the situation in which it was given or in a weaker one.
create table standing_approvals (
  id uuid primary key,
  user_id text not null,
  tool text not null,
  revision text,
  shape text not null,
  digest text not null,
  created_at timestamptz not null default now(),
  situation text not null default 'clean',
  mission_id uuid,
  unique (user_id, digest)
);
alter table standing_approvals enable row level security, force row level security;
create policy operator_delete on standing_approvals for delete using ((select current_setting('app.user_id', true)) = 'operator');
create policy operator_select on standing_approvals for select using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on standing_approvals using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The sites whose links a run may open.
create table site_grants (
  user_id text not null,
  thread_id uuid not null references threads (id) on delete cascade,
  run uuid not null,
  site text not null,
  created_at timestamptz not null default now(),
  primary key (run, site)
);
create index site_grants_by_thread on site_grants (thread_id);
alter table site_grants enable row level security, force row level security;
create policy owner on site_grants using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Questions of MCP servers to a person, while their calls wait.
create table call_questions (
  call_id uuid primary key,
  thread_id uuid not null references threads (id) on delete cascade,
  user_id text not null check (user_id <> ''),
  digest text not null,
  question json not null,
  state json not null,
  input json,
  asked_at timestamptz not null default now(),
  answered_at timestamptz
);
create index call_questions_by_thread on call_questions (thread_id);
alter table call_questions enable row level security, force row level security;
create policy owner on call_questions using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- A webhook user, and the user whose secrets its calls may use. The operator and the partner can end it.
create table pairings (
  user_id text primary key,
  paired_user_id text not null,
  created_at timestamptz not null default now()
);
create index pairings_by_paired_user on pairings (paired_user_id);
alter table pairings enable row level security, force row level security;
create policy identities on pairings using ((select current_setting('app.identities', true)) = 'on');
create policy operator_delete on pairings for delete using ((select current_setting('app.user_id', true)) = 'operator');
create policy operator_select on pairings for select using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on pairings using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
create policy partner_delete on pairings for delete using (paired_user_id = (select current_setting('app.user_id', true)));
create policy partner_select on pairings for select using (paired_user_id = (select current_setting('app.user_id', true)));
