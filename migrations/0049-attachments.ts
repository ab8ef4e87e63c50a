import { type Kysely, sql } from 'kysely';

/**
 * The bytes of images and files, stored once per owner and found by their SHA-256. Older versions can't read items that
 * refer to them, so there is no `worksWith`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `is_stored`: false once the content was found to be changed. `idle_since`: since when it may be unused; null once it was
  // found to be in use.
  await sql`
    create table attachments (
      user_id text not null,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      bytes integer not null,
      content bytea not null,
      is_stored boolean not null,
      idle_since timestamptz default now(),
      created_at timestamptz not null default now(),
      primary key (user_id, sha256)
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
  for (const statement of [IDLE, IDLE_TRIGGER]) await sql.raw(statement).execute(db);
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
