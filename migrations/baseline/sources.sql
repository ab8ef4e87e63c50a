-- Pages that a search of the thread has found, or that were read in it. A page keeps its number for as long as the thread exists,
-- and has a row for each text of it that the model saw: the text of the hit (`found`), or of the page (`read`). A row is written with
-- the output that showed the text, and deleted with it. `url`: canonical. A row without a text only keeps a number from being given again.
create table sources (
  thread_id uuid not null references threads (id) on delete cascade,
  number integer not null,
  sha256 text not null,
  user_id text not null,
  url text not null,
  title text not null,
  published text,
  how text not null check (how in ('found', 'read')),
  text text not null,
  turn_id uuid,
  item_id uuid,
  created_at timestamptz not null default now(),
  primary key (thread_id, number, how, sha256)
);
alter table sources enable row level security, force row level security;
create policy owner on sources using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
