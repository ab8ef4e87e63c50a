-- Accounts on chat platforms. `poller`: the replica that asks the platform for updates. `cursor`: how far the updates
-- are stored.
create table chat_accounts (
  id uuid primary key,
  channel text not null,
  remote_id text not null,
  name text not null,
  mode text not null check (mode in ('polling', 'webhook')),
  groups boolean not null,
  secret_hash bytea,
  cursor text,
  poller uuid,
  leased_until timestamptz,
  last_error text,
  failed_at timestamptz,
  received_at timestamptz,
  created_at timestamptz not null default now(),
  unique (channel, remote_id)
);

-- The people who use them. `sender`: the person's id on the platform. `chat`: where the person alone is reached.
create table chat_links (
  account_id uuid not null references chat_accounts (id) on delete cascade,
  sender text not null,
  user_id text not null,
  name text not null,
  chat text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, sender)
);
create index chat_links_by_user on chat_links (user_id);
alter table chat_links enable row level security, force row level security;
create policy identities on chat_links using ((select current_setting('app.identities', true)) = 'on');
create policy owner on chat_links using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Codes by which a person links a chat account.
create table chat_codes (
  hash bytea primary key,
  user_id text not null,
  expires_at timestamptz not null
);
create index chat_codes_by_user on chat_codes (user_id);
alter table chat_codes enable row level security, force row level security;
create policy identities on chat_codes using ((select current_setting('app.identities', true)) = 'on');
create policy owner on chat_codes using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The thread that a person's next message in a chat continues.
create table chat_threads (
  account_id uuid not null references chat_accounts (id) on delete cascade,
  chat text not null,
  user_id text not null,
  thread_id uuid not null,
  primary key (account_id, chat, user_id)
);
create index chat_threads_by_user on chat_threads (user_id);
alter table chat_threads enable row level security, force row level security;
create policy owner on chat_threads using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Updates from platforms, each of which becomes at most one turn. Updates of one lane are handled one at a time, in the
-- order of `position`. The body goes when the update is done; the reason of a refusal is in `error`.
create table chat_inbox (
  id uuid primary key,
  account_id uuid not null references chat_accounts (id) on delete cascade,
  remote_id text not null,
  lane text not null,
  position bigint not null,
  sender text,
  user_id text,
  body json,
  state text not null default 'new' check (state in ('new', 'done', 'failed')),
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  turn_id uuid,
  error text,
  received_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  handler uuid,
  unique (account_id, remote_id)
) with (fillfactor=80);
create index chat_inbox_by_age on chat_inbox (ended_at) where ended_at is not null;
create index chat_inbox_by_user on chat_inbox (user_id) where user_id is not null;
create index chat_inbox_due on chat_inbox (due_at) where state = 'new';
create index chat_inbox_handled on chat_inbox (handler) where state = 'new';
create index chat_inbox_open on chat_inbox (account_id, lane, position) where state = 'new';
create index chat_inbox_refused on chat_inbox (account_id) where ((state = 'done') and (error is not null));
alter table chat_inbox enable row level security, force row level security;
create policy owner on chat_inbox using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Messages that were sent to a platform. `key`: the turn or the delivery that a message shows. `claimed_until`: a
-- replica is sending it. `live_until`: a replica edits it.
create table chat_messages (
  key uuid not null,
  part integer not null,
  user_id text not null,
  remote_id text,
  claimed_until timestamptz,
  live_until timestamptz,
  is_final boolean not null default false,
  is_shown boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (key, part)
) with (fillfactor=70);
create index chat_messages_by_age on chat_messages (created_at);
create index chat_messages_by_user on chat_messages (user_id);
alter table chat_messages enable row level security, force row level security;
create policy owner on chat_messages using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
