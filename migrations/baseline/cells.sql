-- Users who move to another cell. `subject` is the id of the user, who has no other row here after the move. Here
-- `leaving`, `left` and `gone` follow each other; the other cell has a row with the same id that says `arrived`.
create table user_moves (
  id uuid primary key,
  subject text not null,
  cell integer not null,
  state text not null check (state in ('leaving', 'left', 'gone', 'arrived')),
  started_at timestamptz not null default clock_timestamp()
);
create unique index user_moves_away on user_moves (subject) where state <> 'arrived';

-- Where users who left are found: by the hashes of their tokens, sessions, links, e-mail addresses and identities.
create table forwards (
  hash bytea primary key,
  subject text not null,
  cell integer not null
);
create index forwards_by_subject on forwards (subject);
alter table forwards enable row level security, force row level security;
create policy engine on forwards using ((select current_setting('app.engine', true)) = 'on');
create policy identities on forwards using ((select current_setting('app.identities', true)) = 'on');
