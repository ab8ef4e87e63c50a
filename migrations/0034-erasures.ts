import { type Kysely, sql } from 'kysely';

/** Erasures of users: which were asked for, how far they are, and what was deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `subject` is the id of the user, which refers to nothing once the erasure is complete. `certificate` is JSON, exactly as digested.
  await sql`
    create table erasures (
      id uuid primary key,
      subject text not null,
      requested_by text not null,
      requested_at timestamptz not null default now(),
      audit_through bigint not null default 0,
      completed_at timestamptz,
      certificate text,
      digest text
    )`.execute(db);
  await sql`create unique index erasures_pending on erasures (subject) where completed_at is null`.execute(db);
  // How many rows were deleted, by table. Counted in the transaction that deletes them, so that no crash changes the result.
  await sql`
    create table erasure_counts (
      erasure_id uuid not null references erasures on delete cascade,
      name text not null,
      rows bigint not null,
      primary key (erasure_id, name)
    )`.execute(db);
  for (const table of ['erasures', 'erasure_counts']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy engine on ${sql.table(table)} using ((select current_setting('app.engine', true)) = 'on')`.execute(
      db,
    );
    await sql`
      create policy identities on ${sql.table(table)}
      using ((select current_setting('app.identities', true)) = 'on')`.execute(db);
  }
  await sql`
    create policy engine_redact on audit for update using ((select current_setting('app.engine', true)) = 'on')`.execute(
    db,
  );
  for (const definition of [COUNT_ERASED, ERASE_THREADS, ERASE_OWNED, ERASE_MENTIONS, ERASE_BATCH])
    await sql.raw(definition).execute(db);
}

export const worksWith = '0022-sign-in-codes';

const COUNT_ERASED = `
create function count_erased(given uuid, counted text, gone bigint) returns bigint language sql as $$
  insert into erasure_counts (erasure_id, name, rows) select given, counted, gone where gone > 0
    on conflict (erasure_id, name) do update set rows = erasure_counts.rows + excluded.rows;
  select gone
$$`;

/** Turns are locked first: an attempt that is about to write waits, and then finds no turn. Rows are deleted before those they refer to. */
const ERASE_THREADS = `
create function erase_threads(given uuid, owner text, most integer, most_bytes bigint) returns bigint
language plpgsql set enable_seqscan = off as $$
declare
  page uuid[]; part text; gone bigint; total bigint := 0;
begin
  page := array(select id from (
    select id, sum(bytes) over (order by id) - bytes as ahead
    from (select id, bytes from threads where user_id = owner order by id limit most) as first
  ) as sized where ahead < most_bytes);
  if cardinality(page) = 0 then return 0; end if;
  perform from threads where id = any(page) order by id for update;
  perform from turns where thread_id = any(page) order by id for update;
  delete from turn_events where turn_id in (select id from turns where thread_id = any(page));
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'turn_events', gone);
  delete from approvals where gate_id in (select id from gates where thread_id = any(page));
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'approvals', gone);
  foreach part in array '{items,item_texts,summaries,jobs,conversations,gates,turns}'::text[] loop
    execute format('delete from %I where thread_id = any($1)', part) using page;
    get diagnostics gone = row_count;
    total := total + count_erased(given, part, gone);
  end loop;
  delete from threads where id = any(page);
  get diagnostics gone = row_count;
  return total + count_erased(given, 'threads', gone);
end
$$`;

/**
 * The rows of every table that has an owner, found in the catalogue, so that no table can be forgotten. The parts of threads are
 * deleted with them and have no index by owner. Tables that refer to others come first.
 */
const ERASE_OWNED = `
create function erase_owned(given uuid, owner text, most integer) returns bigint language plpgsql as $$
declare
  part text; gone bigint; total bigint := 0;
begin
  for part in
    select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'user_id' and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('threads', 'items') and not exists (
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

/** What names the user elsewhere. An entry of the audit log keeps its time, action and ids; all else in it may be personal. */
const ERASE_MENTIONS = `
create function erase_mentions(given uuid, owner text, most integer) returns bigint language plpgsql as $$
declare
  gone bigint; total bigint := 0; through bigint;
begin
  delete from pairings where paired_user_id = owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'pairings', gone);
  delete from settings where starts_with(name, 'tool_policy:') and right(name, length(owner) + 1) = '@' || owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'settings', gone);
  delete from rate_windows where right(key, length(owner) + 1) = ':' || owner;

  select audit_through into through from erasures where id = given;
  select max(id) into through from (select id from audit where id > through order by id limit most) as next;
  if through is null then return total; end if;
  perform set_config('app.audit', 'update', true);
  update audit set detail = '{}', subject = case when actor = owner and subject <> owner then null else subject end
    where id > (select audit_through from erasures where erasures.id = given) and id <= through
      and (actor = owner or subject = owner or strpos(detail::text, '"' || owner || '"') > 0)
      and (detail::text <> '{}' or (actor = owner and subject <> owner));
  get diagnostics gone = row_count;
  perform set_config('app.audit', '', true);
  perform count_erased(given, 'audit details', gone);
  update erasures set audit_through = through where id = given;
  return total + 1;
end
$$`;

/** Deletes some rows, and returns how many: 0 when none is left, null while another process does it. */
const ERASE_BATCH = `
create function erase_batch(given uuid, most_threads integer, most integer, most_bytes bigint) returns bigint language plpgsql as $$
declare
  owner text; gone bigint; mark text := coalesce(current_setting('app.identities', true), '');
begin
  select subject into owner from erasures where id = given and completed_at is null for update skip locked;
  if not found then return null; end if;
  perform set_config('app.identities', 'on', true);
  gone := erase_threads(given, owner, most_threads, most_bytes);
  if gone = 0 then gone := erase_owned(given, owner, most); end if;
  if gone = 0 then gone := erase_mentions(given, owner, most); end if;
  if gone = 0 then
    delete from users where id = owner;
    get diagnostics gone = row_count;
    perform count_erased(given, 'users', gone);
  end if;
  perform set_config('app.identities', mark, true);
  return gone;
end
$$`;
