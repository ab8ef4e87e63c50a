import { type Kysely, sql } from 'kysely';

/**
 * The bytes of images and files, stored once per owner and found by their SHA-256. Older versions can't read items that
 * refer to them, so there is no `worksWith`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Either `content` is set, or `object`, the last part of the key in the bucket. `idle_since`: since when it may be
  // unused; null once it was found to be in use.
  await sql`
    create table attachments (
      user_id text not null,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      bytes integer not null,
      content bytea,
      object uuid,
      is_stored boolean not null,
      idle_since timestamptz default now(),
      created_at timestamptz not null default now(),
      primary key (user_id, sha256),
      check ((content is null) <> (object is null))
    )`.execute(db);
  // Images are compressed already.
  await sql`alter table attachments alter column content set storage external`.execute(db);
  await sql`create index attachments_idle on attachments (idle_since) where idle_since is not null`.execute(db);
  await sql`
    create table attachment_uses (
      item_id uuid not null,
      sha256 text not null,
      thread_id uuid not null references threads on delete cascade,
      user_id text not null,
      primary key (item_id, sha256)
    )`.execute(db);
  await sql`create index attachment_uses_by_hash on attachment_uses (user_id, sha256)`.execute(db);
  await sql`create index attachment_uses_by_thread on attachment_uses (thread_id)`.execute(db);
  for (const table of ['attachments', 'attachment_uses']) {
    await protect(db, table);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
  // Objects whose row is gone. A key begins with a hash of its owner; there is no column for it, because an erasure waits for these rows.
  await sql`
    create table attachment_removals (key text primary key, created_at timestamptz not null default now())`.execute(db);
  await protect(db, 'attachment_removals');
  await sql`
    create policy engine on attachment_removals using ((select current_setting('app.engine', true)) = 'on')`.execute(
    db,
  );
  // An owner may add to it, through the trigger below.
  await sql`create policy owner on attachment_removals for insert with check (
      starts_with(key, (select encode(sha256(convert_to(current_setting('app.user_id', true), 'UTF8')), 'hex')) || '/'))`.execute(
    db,
  );
  for (const statement of [IDLE, IDLE_TRIGGER, REMOVE, REMOVE_TRIGGER]) await sql.raw(statement).execute(db);
}

async function protect(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
  await sql`alter table ${sql.table(table)} force row level security`.execute(db);
}

const IDLE = `
create function note_idle_attachment() returns trigger language plpgsql as $$
begin
  update attachments set idle_since = now() where user_id = old.user_id and sha256 = old.sha256;
  return null;
end $$`;
const IDLE_TRIGGER = `
create trigger note_idle_attachment after delete on attachment_uses for each row execute function note_idle_attachment()`;

/** Written with the deletion, so that no crash leaves an object that nothing refers to. */
const REMOVE = `
create function queue_object_removal() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.object is not distinct from old.object then return null; end if;
  insert into attachment_removals (key) values (
    encode(sha256(convert_to(old.user_id, 'UTF8')), 'hex') || '/' || old.sha256 || '.' || old.object);
  return null;
end $$`;
const REMOVE_TRIGGER = `
create trigger queue_object_removal after update of object or delete on attachments for each row
when (old.object is not null) execute function queue_object_removal()`;
