import { type Kysely, sql } from 'kysely';

/** How long data is kept, for everyone (`*`) and for single users; and the functions that delete what is older. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A row with `days` null keeps without limit. Without a row, the rule for everyone or the default applies.
  await sql`
    create table retention (
      user_id text not null check (user_id <> ''),
      kind text not null check (kind in ('threads', 'jobs', 'deliveries', 'occurrences', 'usage', 'audit')),
      days integer check (days > 0),
      updated_at timestamptz not null default now(),
      primary key (user_id, kind)
    )`.execute(db);
  await sql`alter table retention enable row level security`.execute(db);
  await sql`alter table retention force row level security`.execute(db);
  await sql`
    create policy engine on retention using ((select current_setting('app.engine', true)) = 'on')`.execute(db);
  await sql`
    create policy operator on retention using ((select current_setting('app.user_id', true)) = 'operator')`.execute(db);

  await sql.raw(PURGE_THREADS).execute(db);
  await sql`alter function purge_threads set enable_seqscan = off`.execute(db);

  // The engine may delete old entries of the audit log, through `purge_audit` only. The policy holds even if the function errs.
  await sql`
    create policy engine on audit for select using ((select current_setting('app.engine', true)) = 'on')`.execute(db);
  await sql`
    create policy engine_purge on audit for delete using (
      (select current_setting('app.engine', true)) = 'on' and at < now() - interval '90 days'
    )`.execute(db);
  await sql.raw(REFUSE_AUDIT_CHANGE).execute(db);
  await sql.raw(PURGE_AUDIT).execute(db);
}

export const indexes = [
  'usage_days_by_day on usage_days (day)',
  'idempotency_keys_lasting on idempotency_keys (created_at) where is_lasting',
];

export const worksWith = '0022-sign-in-codes';

/**
 * Looks at \`most\` threads after the given one, and deletes those that expired, up to about \`most_bytes\`. A thread expires a number of
 * days after its last change, but never while a turn of it is unfinished, a gate is open, or a callback is due. IDs begin with their
 * time of creation, so the caller limits the search to threads that are old enough with \`before\`, and no index on the time of the
 * last change slows down each turn. One call is one transaction: whatever dies meanwhile, a thread is complete or gone.
 */
const PURGE_THREADS = `
create function purge_threads(after uuid, before uuid, everyones_days integer, most integer, most_bytes bigint)
returns table (looked integer, last uuid, thread_ids uuid[], user_ids text[]) language plpgsql as $$
declare
  page uuid[]; held uuid[]; gone uuid[]; owners text[];
begin
  page := array(select id from threads where id > after and id < before order by id limit most);
  -- Locked in a separate statement, so that the next one sees each thread as its last turn left it. SKIP LOCKED: a thread in use
  -- has just changed.
  held := array(
    select threads.id from threads left join retention as own on own.user_id = threads.user_id and own.kind = 'threads'
    where threads.id = any(page) and active is null and threads.updated_at <
      now() - make_interval(days => case when own.user_id is null then everyones_days else own.days end)
    order by threads.id for update of threads skip locked);
  select array_agg(small.id order by small.id), array_agg(small.user_id order by small.id) into gone, owners from (
    select threads.id, user_id, sum(bytes) over (order by id) - bytes as ahead from threads
    where id = any(held)
      and not exists (select from turns where thread_id = threads.id and status in ('queued', 'running'))
      and not exists (select from gates where thread_id = threads.id and answered_at is null)
      and not exists (select from jobs where thread_id = threads.id and (status <> 'completed' or callback_status = 'pending'))
  ) as small where ahead < most_bytes;
  -- Turns, gates, summaries and texts are deleted with their thread.
  delete from threads where id = any(gone);
  delete from items where thread_id = any(gone);
  delete from conversations where thread_id = any(gone);
  delete from jobs where thread_id = any(gone);
  return query select cardinality(page), page[cardinality(page)], coalesce(gone, '{}'), coalesce(owners, '{}');
end
$$`;

/** \`app.audit\` names the one change that a function makes, for as long as it runs. */
const REFUSE_AUDIT_CHANGE = `
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('DELETE', 'UPDATE') and current_setting('app.audit', true) = lower(tg_op) then return null; end if;
  raise exception 'The audit log is only ever appended to.';
end $$`;

/** Entries are numbered in the order of time, so only the oldest have to be looked at. */
const PURGE_AUDIT = `
create function purge_audit(most integer, days integer) returns integer language plpgsql as $$
declare
  gone integer;
begin
  perform set_config('app.audit', 'delete', true);
  delete from audit where id = any(array(select id from audit order by id limit most)) and at < now() - make_interval(days => days);
  get diagnostics gone = row_count;
  perform set_config('app.audit', '', true);
  return gone;
end
$$`;
