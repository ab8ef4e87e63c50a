-- Webhook jobs. A job has the ID of its first turn; `turn_id` is the turn it has reached through gates. The channel
-- manages the jobs of all users; the operator can see them all.
create table jobs (
  id uuid primary key,
  user_id text not null,
  thread_id uuid not null,
  turn_id uuid not null unique,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed')),
  waiting_on text,
  failure json,
  conversation_id text,
  metadata json,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  callback_url text
) with (fillfactor=80);
create index jobs_by_age on jobs (completed_at) where completed_at is not null;
create index jobs_by_thread on jobs (thread_id);
create index jobs_by_user on jobs (user_id, id);
alter table jobs enable row level security, force row level security;
create policy channel on jobs using ((select current_setting('app.user_id', true)) = 'webhook');
create policy operator on jobs for select using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on jobs using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Routes for events of other senders.
create table webhook_routes (
  name text primary key,
  verifier text not null,
  header text,
  webhook_user text not null,
  message text not null,
  conversation text,
  created_at timestamptz not null default now()
);
