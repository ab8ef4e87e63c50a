-- How long data is kept, for everyone (`*`) and for single users. A row with `days` null keeps without limit. Without a
-- row, the rule for everyone or the default applies.
create table retention (
  user_id text not null check (user_id <> ''),
  kind text not null check (kind in ('threads', 'versions', 'jobs', 'deliveries', 'occurrences', 'usage', 'audit')),
  days integer check (days > 0),
  updated_at timestamptz not null default now(),
  primary key (user_id, kind)
);
alter table retention enable row level security, force row level security;
create policy engine on retention using ((select current_setting('app.engine', true)) = 'on');
create policy operator on retention using ((select current_setting('app.user_id', true)) = 'operator');

-- Erasures of users: which were asked for, how far they are, and their certificates. `subject` is the id of the user,
-- which refers to nothing once the erasure is complete. `certificate` is JSON, exactly as digested.
create table erasures (
  id uuid primary key,
  subject text not null,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  audit_through bigint not null default 0,
  completed_at timestamptz,
  certificate text,
  digest text
);
create unique index erasures_pending on erasures (subject) where completed_at is null;
alter table erasures enable row level security, force row level security;
create policy engine on erasures using ((select current_setting('app.engine', true)) = 'on');
create policy identities on erasures using ((select current_setting('app.identities', true)) = 'on');

-- How many rows an erasure has deleted, by table.
create table erasure_counts (
  erasure_id uuid not null references erasures (id) on delete cascade,
  name text not null,
  rows bigint not null,
  primary key (erasure_id, name)
);
alter table erasure_counts enable row level security, force row level security;
create policy engine on erasure_counts using ((select current_setting('app.engine', true)) = 'on');
create policy identities on erasure_counts using ((select current_setting('app.identities', true)) = 'on');
