import { type Kysely, sql } from 'kysely';

/** Questions of MCP servers to a person, while their calls wait. They are deleted with the thread. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table gates drop constraint gates_kind_check`.execute(db);
  // Not valid: the rows that exist have fewer kinds, and need no look.
  await sql`
    alter table gates add constraint gates_kind_check
    check (kind in ('external-tool', 'approval', 'auth', 'pairing', 'input')) not valid`.execute(db);
  await sql`
    create table call_questions (
      call_id uuid primary key,
      thread_id uuid not null references threads on delete cascade,
      user_id text not null check (user_id <> ''),
      digest text not null,
      question json not null,
      state json not null,
      input json,
      asked_at timestamptz not null default now(),
      answered_at timestamptz
    )`.execute(db);
  await sql`create index call_questions_by_thread on call_questions (thread_id)`.execute(db);
  await sql`alter table call_questions enable row level security`.execute(db);
  await sql`alter table call_questions force row level security`.execute(db);
  await sql`
    create policy owner on call_questions using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  await sql.raw(ERASE_THREADS).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/** Counts the questions, too. */
const ERASE_THREADS = `
create or replace function erase_threads(given uuid, owner text, most integer, most_bytes bigint) returns bigint
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
  foreach part in array '{shares,items,item_texts,summaries,jobs,conversations,call_questions,gates,turns}'::text[] loop
    execute format('delete from %I where thread_id = any($1)', part) using page;
    get diagnostics gone = row_count;
    total := total + count_erased(given, part, gone);
  end loop;
  delete from threads where id = any(page);
  get diagnostics gone = row_count;
  return total + count_erased(given, 'threads', gone);
end
$$`;
