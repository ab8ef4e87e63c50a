-- Work that the agent does by itself. `next_due_at` is null while the mission is not scheduled. `starting_until` leases
-- its start to one replica. `event_user_id`: the user whose turns start it; null for a mission that is due by the
-- clock.
create table missions (
  id uuid primary key,
  user_id text not null,
  name text not null,
  instruction text not null,
  schedule json not null,
  revision integer not null default 1,
  tz_version text not null,
  keeps_thread boolean not null,
  thread_id uuid,
  tools text[],
  tokens_per_run integer,
  tokens_per_day integer,
  misfire text not null check (misfire in ('skip', 'latest', 'all')),
  overlap text not null check (overlap in ('skip', 'queue', 'cancel')),
  pause_after integer not null,
  failures integer not null default 0,
  state text not null default 'active' check (state in ('active', 'paused', 'ended')),
  pause_reason text,
  next_due_at timestamptz,
  starting_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  usd_per_run float8 check (usd_per_run > 0),
  usd_per_day float8 check (usd_per_day > 0),
  event_user_id text,
  check ((next_due_at is null) or (state = 'active'))
) with (fillfactor=80);
create index missions_by_event on missions (event_user_id) where event_user_id is not null;
create index missions_by_tz_version on missions (tz_version) where next_due_at is not null;
create index missions_by_user on missions (user_id, id);
create index missions_due on missions (next_due_at) where next_due_at is not null;
alter table missions enable row level security, force row level security;
create policy identities on missions using ((select current_setting('app.identities', true)) = 'on');
create policy owner on missions using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- An occurrence for each time that a mission was due. The key makes each due time one row, on any number of replicas.
-- Manual runs have a slot with milliseconds.
create table occurrences (
  mission_id uuid not null references missions (id) on delete cascade,
  slot timestamptz not null,
  user_id text not null,
  kind text not null check (kind in ('scheduled', 'manual', 'event')),
  state text not null check (state in ('due', 'started', 'completed', 'failed', 'cancelled', 'missed', 'skipped')),
  reason text,
  is_late boolean not null default false,
  revision integer not null,
  due_at timestamptz not null,
  request_key text,
  thread_id uuid,
  turn_id uuid unique,
  tokens bigint not null default 0,
  cost_usd float8,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  cause_turn_id uuid,
  primary key (mission_id, slot),
  unique (mission_id, request_key)
) with (fillfactor=80);
create index occurrences_by_age on occurrences (ended_at) where ended_at is not null;
create index occurrences_by_thread on occurrences (thread_id) where thread_id is not null;
create index occurrences_due on occurrences (user_id, due_at) where state = 'due';
create index occurrences_started on occurrences (user_id, mission_id) where state = 'started';
alter table occurrences enable row level security, force row level security;
create policy owner on occurrences using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
