import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { packageFile } from '#program-files.ts';

/**
 * Where texts come from, and what was decided because of it.
 *
 * A run is one input, followed through its gates: `turns.run` is the first turn of the chain, and null for the first one itself.
 * Notes that exist have no known origin: they count as foreign when they are read, and as the person's when they are overwritten.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table turns add column run uuid`.execute(db);
  await sql`create index turns_by_run on turns (run) where run is not null`.execute(db);
  await sql`alter table notes add column origin text not null default 'unknown'`.execute(db);
  await sql`alter table summaries add column reads json`.execute(db);
  await sql`alter table gates add column asked json`.execute(db);
  await sql`
    alter table standing_approvals
      add column situation text not null default 'clean',
      add column mission_id uuid`.execute(db);
  await sql`alter table approvals drop constraint approvals_pkey, add primary key (gate_id, call_id)`.execute(db);
  await sql`
    create table site_grants (
      user_id text not null,
      thread_id uuid not null references threads on delete cascade,
      run uuid not null,
      site text not null,
      created_at timestamptz not null default now(),
      primary key (run, site)
    )`.execute(db);
  await sql`create index site_grants_by_thread on site_grants (thread_id)`.execute(db);
  await sql`alter table site_grants enable row level security`.execute(db);
  await sql`alter table site_grants force row level security`.execute(db);
  await sql`
    create policy owner on site_grants using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  // The gate's facts are a further parameter with a default, so that replicas of the version before can still settle.
  await sql
    .raw(`drop function if exists settle_turns(uuid, integer, text, uuid[], integer[], text[], text[], boolean[], text[], integer[], bigint[],
      uuid[], text[], text[], text[], integer[], integer[], uuid[], text[], text[], boolean[],
      integer[], text[], text[], boolean[], bigint[], bigint[], bigint[], float8[], bigint[])`)
    .execute(db);
  for (const name of ['settle_turns', 'turn_context', 'erase_threads'])
    await sql.raw(await readFile(packageFile(`src/engine/sql/${name}.sql`), 'utf8')).execute(db);
}

export const worksWith = '0022-sign-in-codes';
