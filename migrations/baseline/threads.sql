-- Folders for threads.
create table folders (
  user_id text not null,
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
alter table folders enable row level security, force row level security;
create policy owner on folders using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Conversations. The columns of a list of threads are stored here, so that no body has to be read. `bytes`: the size of
-- its items, in bytes of JSON. `metadata` is null unless a caller created the thread as a conversation. A title from a
-- person goes before a generated one. `network`: its code may reach the hosts that the operator lists. The owner is part of the reference to a folder, because row-level security does
-- not apply to it. Bodies are `json`, not `jsonb`, in all tables: no query looks inside them, and jsonb refuses \u0000
-- and lone surrogates.
create table threads (
  id uuid primary key,
  user_id text not null,
  last_seq integer not null,
  active uuid,
  catalog json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  title text,
  opening text not null default '',
  preview text not null default '',
  pinned boolean not null default false,
  archived boolean not null default false,
  network boolean not null default false,
  bytes bigint not null default 0,
  metadata json,
  generated_title text,
  line integer not null default 0,
  folder_id uuid,
  constraint threads_folder foreign key (user_id, folder_id) references folders(user_id, id) on delete set null (folder_id)
) with (fillfactor=80);
create index threads_by_folder on threads (user_id, folder_id, updated_at) where folder_id is not null;
create index threads_by_update on threads (user_id, pinned, updated_at, id);
create index threads_by_user on threads (user_id, id);
alter table threads enable row level security, force row level security;
create policy owner on threads using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- One run of the agent loop. `ready_at` is set exactly while a thread's active turn waits for a replica: it is the time
-- of acceptance, so the oldest goes first. `handback`, `group_attempt`, `group_size` and `broken` tell turns
-- that kill their hosts from innocent ones. The turns of a thread are a tree, of which one line is shown (`follows`,
-- `origin`, `hidden`). `counted_calls`: model calls of tools that are counted, so that a repeated send counts nothing.
-- `run`: the first turn of a chain of gates; null for the first one itself.
create table turns (
  id uuid primary key,
  thread_id uuid not null references threads (id) on delete cascade,
  user_id text not null,
  seq integer not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'waiting', 'completed', 'incomplete', 'failed', 'cancelled')),
  channel text not null,
  request json not null,
  failure json,
  refused boolean not null default false,
  usage json,
  cancel_reason text check (cancel_reason in ('cancelled', 'turn_timeout', 'tool_output_missing', 'approval_required', 'authentication_required', 'pairing_required')),
  runner uuid,
  attempt integer not null default -1,
  handback integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  ready_at timestamptz,
  broken integer not null default 0,
  follows integer,
  origin integer,
  hidden boolean not null default false,
  group_attempt integer,
  group_size integer,
  counted_calls uuid[],
  run uuid,
  unique (thread_id, seq)
) with (fillfactor=80);
create index turns_by_end on turns using brin (ended_at);
create index turns_by_run on turns (run) where run is not null;
create index turns_left_out on turns (thread_id, seq) where (refused or hidden);
create index turns_live on turns (status, runner) where status in ('queued', 'running');
create index turns_ready on turns (ready_at) where ready_at is not null;
create index turns_ready_by_user on turns (user_id, ready_at) where ready_at is not null;
alter table turns enable row level security, force row level security;
create policy owner on turns using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- What was said and done in a turn, in order. No foreign key: items are written only together with a turn, or fenced by
-- one, that has a foreign key.
create table items (
  thread_id uuid not null,
  turn_seq integer not null,
  position integer not null,
  id uuid not null unique,
  turn_id uuid not null,
  user_id text not null,
  attempt integer,
  body json not null,
  usage json,
  started_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (thread_id, turn_seq, position)
) with (fillfactor=90);
alter table items enable row level security, force row level security;
create policy owner on items using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- What was said in each message, as words, so that threads can be searched. It is written with the item. Every search
-- reads the words of many rows, and decompressing them would take most of its time.
create table item_texts (
  item_id uuid primary key,
  thread_id uuid not null references threads (id) on delete cascade,
  user_id text not null,
  role text not null check (role in ('user', 'assistant')),
  text text not null,
  words tsvector not null,
  created_at timestamptz not null default now()
);
alter table item_texts alter column words set storage external;
create index item_texts_by_thread on item_texts (thread_id);
create index item_texts_by_user on item_texts (user_id, created_at, item_id);
alter table item_texts enable row level security, force row level security;
create policy owner on item_texts using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- A summary replaces all items up to its position in prompts; the items stay stored. `turn_seq` is the turn that made
-- it. `reads`: where its text came from.
create table summaries (
  thread_id uuid not null references threads (id) on delete cascade,
  through_seq integer not null,
  through_position integer not null,
  user_id text not null,
  turn_seq integer not null,
  turn_id uuid not null,
  text text not null,
  provider text not null,
  model text not null,
  usage json not null,
  created_at timestamptz not null default now(),
  reads json,
  primary key (thread_id, through_seq, through_position)
);
alter table summaries enable row level security, force row level security;
create policy engine on summaries using ((select current_setting('app.engine', true)) = 'on');
create policy owner on summaries for select using (user_id = (select current_setting('app.user_id', true)));
create policy owner_delete on summaries for delete using (user_id = (select current_setting('app.user_id', true)));

-- The callers' names for their threads.
create table conversations (
  user_id text not null,
  name text not null,
  thread_id uuid not null unique,
  created_at timestamptz not null default now(),
  primary key (user_id, name)
);
alter table conversations enable row level security, force row level security;
create policy owner on conversations using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The turn of a caller's idempotency key, and the digest of the body that came with it. A signature without a timestamp
-- never expires, so the deliveries that had one are remembered without limit; other keys expire after a day.
create table idempotency_keys (
  user_id text not null,
  key text not null,
  digest text not null,
  turn_id uuid not null,
  created_at timestamptz not null default now(),
  is_lasting boolean not null default false,
  primary key (user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at) where not is_lasting;
create index idempotency_keys_lasting on idempotency_keys (created_at) where is_lasting;
alter table idempotency_keys enable row level security, force row level security;
create policy owner on idempotency_keys using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The digests of requests that client libraries repeat by themselves, to find the turn of an earlier try.
create table request_tries (
  turn_id uuid primary key,
  user_id text not null,
  digest text not null,
  created_at timestamptz not null default now()
);
create index request_tries_by_age on request_tries using brin (created_at);
create index request_tries_by_digest on request_tries (user_id, digest);
alter table request_tries enable row level security, force row level security;
create policy owner on request_tries using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Turns whose callers want nothing kept. They are deleted when their response was delivered, or an hour after their
-- end; one that waits for a caller's tool stays. No foreign key: a row is written before its turn, so that no crash
-- leaves such a turn without one.
create table unstored_turns (
  turn_id uuid primary key,
  user_id text not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
alter table unstored_turns enable row level security, force row level security;
create policy owner on unstored_turns using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The threads that wait for a title. A row goes when its thread has one or is gone, or after the last try.
create table title_requests (
  thread_id uuid primary key,
  user_id text not null,
  tries smallint not null default 0,
  due_at timestamptz not null default now()
);
create index title_requests_by_due on title_requests (due_at);
alter table title_requests enable row level security, force row level security;
create policy owner on title_requests using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Threads that anyone with a link can read, up to the item that was the newest when they were shared.
create table shares (
  thread_id uuid primary key references threads (id) on delete cascade,
  user_id text not null,
  hash bytea not null unique,
  through_seq integer not null,
  through_position integer not null,
  with_tools boolean not null,
  with_attachments boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index shares_by_user on shares (user_id);
alter table shares enable row level security, force row level security;
create policy owner on shares using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Texts that a user sends often, with variables.
create table prompt_templates (
  user_id text not null,
  name text not null,
  text text not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, name)
);
alter table prompt_templates enable row level security, force row level security;
create policy owner on prompt_templates using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
