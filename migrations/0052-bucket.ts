import { type Kysely, sql } from 'kysely';

/**
 * Attachments in a bucket. `object_key` names the object that has the bytes; without it they are in `content`. Older
 * versions work next to this one until a replica is given a bucket.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attachments alter column content drop not null, add column object_key text`.execute(db);
  // Not valid: the rows so far have content, and the table is not read to prove it.
  await sql`
    alter table attachments add constraint attachments_in_one_place
    check ((content is null) <> (object_key is null)) not valid`.execute(db);

  // The objects that must be removed from the bucket. An object is listed before its upload, in case no attachment refers to it
  // afterwards. `is_removing`: its removal has started, so no attachment may refer to it any more.
  await sql`
    create table unused_objects (
      object_key text primary key,
      user_id text not null,
      due_at timestamptz not null default now(),
      is_removing boolean not null default false
    )`.execute(db);
  await sql`create index unused_objects_due on unused_objects (due_at)`.execute(db);
  await sql`create index unused_objects_by_user on unused_objects (user_id)`.execute(db);
  await sql`alter table unused_objects enable row level security`.execute(db);
  await sql`alter table unused_objects force row level security`.execute(db);
  await sql`
    create policy owner on unused_objects using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  for (const statement of [NOTE_UNUSED, DELETED_TRIGGER, REPLACED_TRIGGER, ERASE_OWNED])
    await sql.raw(statement).execute(db);
}

export const indexes = ['attachments_in_bucket on attachments (object_key) where object_key is not null'];

export const worksWith = '0049-attachments';

const NOTE_UNUSED = `
create function note_unused_object() returns trigger language plpgsql as $$
begin
  insert into unused_objects (object_key, user_id) values (old.object_key, old.user_id) on conflict do nothing;
  return null;
end $$`;
const DELETED_TRIGGER = `
create trigger note_unused_object after delete on attachments for each row
when (old.object_key is not null) execute function note_unused_object()`;
const REPLACED_TRIGGER = `
create trigger note_replaced_object after update of object_key on attachments for each row
when (old.object_key is not null and old.object_key is distinct from new.object_key) execute function note_unused_object()`;

/** Leaves \`unused_objects\` out: its rows are deleted after their objects, which only a replica can remove. */
const ERASE_OWNED = `
create or replace function erase_owned(given uuid, owner text, most integer) returns bigint language plpgsql as $$
declare
  part text; gone bigint; total bigint := 0;
begin
  for part in
    select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'user_id' and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('threads', 'items', 'unused_objects') and not exists (
        select from pg_constraint where contype = 'f' and conrelid = pg_class.oid and confrelid in ('threads'::regclass, 'gates'::regclass))
    order by exists (select from pg_constraint where contype = 'f' and conrelid = pg_class.oid) desc, relname
  loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where user_id = $1 limit $2))', part) using owner, most;
    get diagnostics gone = row_count;
    total := total + count_erased(given, part, gone);
    if total >= most then return total; end if;
  end loop;
  return total;
end
$$`;
