-- The bytes of images and files, stored once per owner and found by their SHA-256, here or in a bucket. `is_stored`:
-- false once the content was found to be changed. `idle_since`: since when it may be unused; null once it was found to
-- be in use. Images are compressed already.
create table attachments (
  user_id text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes integer not null,
  content bytea,
  is_stored boolean not null,
  idle_since timestamptz default now(),
  created_at timestamptz not null default now(),
  object_key text,
  primary key (user_id, sha256),
  constraint attachments_in_one_place check ((content is null) <> (object_key is null))
);
alter table attachments alter column content set storage external;
create index attachments_idle on attachments (idle_since) where idle_since is not null;
create index attachments_in_bucket on attachments (object_key) where object_key is not null;
alter table attachments enable row level security, force row level security;
create policy owner on attachments using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Which item uses which attachment.
create table attachment_uses (
  item_id uuid not null,
  sha256 text not null,
  thread_id uuid not null references threads (id) on delete cascade,
  user_id text not null,
  primary key (item_id, sha256)
);
create index attachment_uses_by_hash on attachment_uses (user_id, sha256);
create index attachment_uses_by_thread on attachment_uses (thread_id);
alter table attachment_uses enable row level security, force row level security;
create policy owner on attachment_uses using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Files that callers have uploaded, to name them in later requests. The bytes are attachments.
create table uploaded_files (
  id uuid primary key,
  user_id text not null,
  filename text not null,
  media_type text not null,
  purpose text not null check (purpose in ('assistants', 'user_data', 'vision')),
  sha256 text not null,
  bytes integer not null,
  created_at timestamptz not null default now()
);
create index uploaded_files_by_user on uploaded_files (user_id, id);
create index uploaded_files_by_hash on uploaded_files (user_id, sha256);
alter table uploaded_files enable row level security, force row level security;
create policy owner on uploaded_files using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');

-- Objects that must be removed from the bucket. An object is listed before its upload, in case no attachment refers to
-- it afterwards. `is_removing`: its removal has started, so no attachment may refer to it any more.
create table unused_objects (
  object_key text primary key,
  user_id text not null,
  due_at timestamptz not null default now(),
  is_removing boolean not null default false
);
create index unused_objects_by_user on unused_objects (user_id);
create index unused_objects_due on unused_objects (due_at);
alter table unused_objects enable row level security, force row level security;
create policy owner on unused_objects using (
  user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on');
