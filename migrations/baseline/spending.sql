-- Daily sums of model calls, so that today's usage is in a few rows. `part` spreads the replicas over rows, so that
-- they don't wait for each other.
create table usage_days (
  user_id text not null,
  day date not null,
  provider text not null,
  model text not null,
  part smallint not null,
  calls integer not null,
  errors integer not null,
  unpriced_calls integer not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd float8 not null,
  milliseconds bigint not null,
  primary key (user_id, day, provider, model, part)
) with (fillfactor=50);
create index usage_days_by_day on usage_days (day);
alter table usage_days enable row level security, force row level security;
create policy engine on usage_days using ((select current_setting('app.engine', true)) = 'on');
create policy operator on usage_days for select using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on usage_days for select using (user_id = (select current_setting('app.user_id', true)));

-- A user's own limits, which replace the default ones; null means no limit.
create table budgets (
  user_id text primary key,
  tokens_per_day bigint check (tokens_per_day >= 0),
  usd_per_day float8 check (usd_per_day >= 0),
  updated_at timestamptz not null default now()
);
alter table budgets enable row level security, force row level security;
create policy engine on budgets using ((select current_setting('app.engine', true)) = 'on');
create policy operator on budgets using ((select current_setting('app.user_id', true)) = 'operator');
create policy owner on budgets for select using (user_id = (select current_setting('app.user_id', true)));

-- The uses of each rate-limited caller: how many in each time slot, oldest slot first. Unlogged: a crash of PostgreSQL
-- only starts new windows.
create unlogged table rate_windows (
  key text primary key,
  slots bigint[] not null,
  counts integer[] not null,
  expires_at timestamptz not null
);
create index rate_windows_by_expiry on rate_windows (expires_at);
