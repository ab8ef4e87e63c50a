-- The processes that run turns. A replica holds an advisory lock on `lock_key` as long as it lives; `seen_at` is its
-- lease.
create table replicas (
  id uuid primary key,
  lock_key bigint generated always as identity,
  started_at timestamptz not null default now(),
  followed boolean not null default false,
  model text,
  is_command boolean not null default false,
  seen_at timestamptz not null default now(),
  application text
);

-- The events that watchers of a turn see. Unlogged: a crash of PostgreSQL empties it, and replays are then made from
-- the items. One policy for each command, the engine's part first: the engine's statements evaluate nothing else.
create unlogged table turn_events (
  turn_id uuid not null,
  first bigint not null,
  last bigint not null,
  events json not null,
  created_at timestamptz not null default now(),
  user_id text,
  primary key (turn_id, first)
);
create index turn_events_by_age on turn_events using brin (created_at);
create index turn_events_by_user on turn_events (user_id);
alter table turn_events enable row level security, force row level security;
create policy deleting on turn_events for delete using (
  (select current_setting('app.engine', true)) = 'on' or user_id = (select current_setting('app.user_id', true)));
create policy reading on turn_events for select using (
  (select current_setting('app.engine', true)) = 'on' or user_id = (select current_setting('app.user_id', true)));
create policy writing on turn_events for insert with check ((select current_setting('app.engine', true)) = 'on');
