-- The agent's notes for each user: texts by path, found by their words and by their meaning. `origin` says who wrote
-- the text. Everyone may read the operator's identity of the agent, which is the default.
create table notes (
  number bigint generated always as identity primary key,
  user_id text not null,
  path text not null,
  text text not null,
  word_count integer not null,
  signature bit varying,
  embedding real[],
  embedding_model text not null default '',
  embed_attempts integer not null default 0,
  embed_due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  origin text not null default 'unknown',
  unique (user_id, path)
);
create index notes_by_age on notes (user_id, updated_at);
create index notes_by_embedding on notes (embedding_model, user_id, embed_due_at);
create index notes_of_unknown_origin on notes (user_id) where origin = 'unknown';
alter table notes enable row level security, force row level security;
create policy default_identity on notes for select using ((user_id = 'operator') and (path = 'identity/agent'));
create policy owner on notes using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The notes that contain a word. An index over tsvectors would do, but under row-level security no query can use it.
create table note_words (
  user_id text not null,
  word text not null,
  note bigint not null,
  primary key (user_id, word, note)
);
alter table note_words enable row level security, force row level security;
create policy owner on note_words using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
