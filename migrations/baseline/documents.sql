-- Files whose text is read by page and found by its words and meaning: once per owner and content, and deleted with it.
-- `extractor` is the version of the program that has read it; one that an older program has read, or none, waits until `due_at`.
-- `reason`: why it can't be read.
create table documents (
  number bigint generated always as identity unique,
  user_id text not null,
  sha256 text not null,
  kind text not null,
  extractor integer not null default 0,
  reason text,
  pages integer not null default 0,
  empty_pages integer not null default 0,
  tokens integer not null default 0,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (user_id, sha256),
  foreign key (user_id, sha256) references attachments (user_id, sha256) on delete cascade
);
create index documents_to_read on documents (extractor, due_at);
alter table documents enable row level security, force row level security;
create policy owner on documents using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The text of a document in pieces that are found by themselves, each part of one page. `position` counts them from 1.
create table passages (
  number bigint generated always as identity primary key,
  document bigint not null references documents (number) on delete cascade,
  user_id text not null,
  position integer not null,
  page integer not null,
  label text not null,
  heading text not null,
  text text not null,
  signature bit varying,
  embedding real[],
  embedding_model text not null default '',
  embed_attempts integer not null default 0,
  embed_due_at timestamptz not null default now(),
  unique (document, position)
);
create index passages_by_embedding on passages (embedding_model, user_id, embed_due_at);
create index passages_by_user on passages (user_id);
alter table passages enable row level security, force row level security;
create policy owner on passages using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- The passages of a document that contain a word, by their positions. As with notes, no index over tsvectors could be used.
-- A search reads the index alone: the rows of a word are in as many blocks of the table as documents have it. An entry of an
-- index is short, so a long document has a row for each of its pieces.
create table document_words (
  user_id text not null,
  word text not null,
  document bigint not null references documents (number) on delete cascade,
  piece integer not null,
  positions integer[] not null,
  primary key (user_id, word, document, piece) include (positions)
);
create index document_words_by_document on document_words (document);
alter table document_words enable row level security, force row level security;
create policy owner on document_words using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Named lists of uploaded files whose documents are searched together. `expires_days`: it is deleted so long after its last use.
create table vector_stores (
  id uuid primary key,
  user_id text not null,
  name text not null,
  description text,
  metadata json not null,
  expires_days integer,
  last_active_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index vector_stores_by_user on vector_stores (user_id, id);
create index vector_stores_that_expire on vector_stores (id) where expires_days is not null;
alter table vector_stores enable row level security, force row level security;
create policy owner on vector_stores using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- `is_cancelled`: its text was not read yet when its batch was cancelled, so it is not searched.
create table vector_store_files (
  store_id uuid not null references vector_stores (id) on delete cascade,
  file_id uuid not null references uploaded_files (id) on delete cascade,
  user_id text not null,
  attributes json not null,
  is_cancelled boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (store_id, file_id)
);
create index vector_store_files_by_file on vector_store_files (file_id);
create index vector_store_files_by_user on vector_store_files (user_id);
alter table vector_store_files enable row level security, force row level security;
create policy owner on vector_store_files using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Files that were added to a store together, for callers who wait until all of them are read. Deleted after 30 days.
create table vector_store_batches (
  id uuid primary key,
  store_id uuid not null references vector_stores (id) on delete cascade,
  user_id text not null,
  file_ids uuid[] not null,
  created_at timestamptz not null default now()
);
create index vector_store_batches_by_store on vector_store_batches (store_id);
create index vector_store_batches_by_user on vector_store_batches (user_id);
create index vector_store_batches_by_age on vector_store_batches (created_at);
alter table vector_store_batches enable row level security, force row level security;
create policy owner on vector_store_batches using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
