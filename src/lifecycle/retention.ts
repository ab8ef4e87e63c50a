import { setTimeout as sleep } from 'node:timers/promises';
import { firstIdAt, type ThreadId } from '#domain/ids.ts';
import { type Days, EVERYONE, type Retention, type RetentionKind } from '#domain/retention.ts';
import type { EnginePool } from '#engine/engine-connection.ts';

/** How many rows one statement deletes, so that the statement and its locks stay short. */
const PIECE = 5000;
/** How many threads one statement looks at, and about how much it deletes of them. */
const THREADS = 500;
const THREAD_BYTES = 16 * 1024 * 1024;
/** How many workspaces one statement looks at, and how many versions it removes of them. */
const WORKSPACES = 500;
const VERSIONS = 200;
const DAY_MS = 86_400_000;

export type PurgeOptions = {
  /** What applies unless the operator has set something else. */
  readonly defaults: Retention;
  /** Asked before each statement: false once this replica stops, or is no longer elected. */
  readonly isElected: () => boolean;
};

export type PurgedThread = { readonly threadId: ThreadId; readonly userId: string };

/** Deletes everything but threads and versions that is older than its limit, one batch at a time. A crash leaves the rest for the next round. */
export async function purgeExpired(pool: EnginePool, { defaults, isElected }: PurgeOptions): Promise<void> {
  const limits = await readLimits(pool, defaults);
  for (const [kind, statement] of Object.entries(PURGE) as [keyof typeof PURGE, string][])
    await purgeOlder(pool, statement, limits[kind], isElected);
}

/** Deletes earlier versions of notes, and notes that were deleted. The newest version of a note stays. */
export async function purgeNoteVersions(pool: EnginePool, { defaults, isElected }: PurgeOptions): Promise<void> {
  await purgeOlder(pool, PURGE_NOTE_VERSIONS, (await readLimits(pool, defaults)).notes, isElected);
}

async function purgeOlder(
  pool: EnginePool,
  statement: string,
  { everyones, least }: Limit,
  isElected: () => boolean,
): Promise<void> {
  if (least === null) return;
  const purge = () => pool.query<{ gone: number }>(statement, [PIECE, least, everyones]);
  while (isElected() && ((await purge()).rows[0]?.gone ?? 0) >= PIECE);
}

/**
 * Deletes expired threads, and waits after each statement as long as it took, so that traffic gets at least half of the
 * database's time.
 */
export async function purgeThreads(
  pool: EnginePool,
  { defaults, isElected, onPurged }: PurgeOptions & { readonly onPurged: (thread: PurgedThread) => void },
): Promise<void> {
  const { everyones, least } = (await readLimits(pool, defaults)).threads;
  if (least === null) return;
  const before = firstIdAt(Date.now() - least * DAY_MS);
  for (let after = firstIdAt(0); isElected(); ) {
    const started = performance.now();
    const { rows } = await pool.query<PurgedPage>(PURGE_THREADS, [after, before, everyones, THREADS, THREAD_BYTES]);
    const [page] = rows;
    if (!page?.last) return;
    page.threadIds.forEach((threadId, index) => onPurged({ threadId, userId: page.userIds[index] ?? '' }));
    if (page.looked < THREADS && page.threadIds.length === 0) return;
    // Some of this page may be left because of their size.
    if (page.threadIds.length === 0) after = page.last;
    await sleep(performance.now() - started);
  }
}

/** Deletes temporary threads a day after their last message. */
export async function purgeTemporary(
  pool: EnginePool,
  { isElected, onPurged }: Pick<PurgeOptions, 'isElected'> & { readonly onPurged: (thread: PurgedThread) => void },
): Promise<void> {
  while (isElected()) {
    const started = performance.now();
    const { rows } = await pool.query<Pick<PurgedPage, 'threadIds' | 'userIds'>>(
      'select thread_ids as "threadIds", user_ids as "userIds" from purge_temporary($1, $2)',
      [THREADS, THREAD_BYTES],
    );
    const { threadIds = [], userIds = [] } = rows[0] ?? {};
    if (threadIds.length === 0) return;
    threadIds.forEach((threadId, index) => onPurged({ threadId, userId: userIds[index] ?? '' }));
    await sleep(performance.now() - started);
  }
}

/**
 * Deletes the threads of subagents whose thread at the top is gone, once nothing runs there: a job was deleted with its thread, or a
 * replica of version 0.2, which knows no subagents, has deleted it.
 */
export async function purgeOrphans(pool: EnginePool, { isElected }: Pick<PurgeOptions, 'isElected'>): Promise<void> {
  while (isElected() && ((await pool.query<{ gone: number }>(PURGE_ORPHANS, [THREADS])).rows[0]?.gone ?? 0) >= THREADS);
}

const PURGE_ORPHANS = `
  with done as (
    delete from threads where id = any (array(
      select below.id from threads as below where below.root is not null and below.active is null
        and not exists (select from threads as top where top.id = below.root)
      order by below.id limit $1 for update of below skip locked))
    returning id
  ), emptied as (
    delete from items where thread_id in (select id from done)
  )
  select count(*)::integer as gone from done`;

type PurgedPage = {
  readonly looked: number;
  readonly last: ThreadId | null;
  readonly threadIds: readonly ThreadId[];
  readonly userIds: readonly string[];
};

const PURGE_THREADS = `
  select looked, last, thread_ids as "threadIds", user_ids as "userIds" from purge_threads($1, $2, $3, $4, $5)`;

/** Removes old versions of files, and waits in the same way. Their changes stay, as a part of the next version that is kept. */
export async function thinVersions(pool: EnginePool, { defaults, isElected }: PurgeOptions): Promise<void> {
  const { everyones, least } = (await readLimits(pool, defaults)).versions;
  if (least === null) return;
  const before = firstIdAt(Date.now() - least * DAY_MS);
  for (let after: string = firstIdAt(0); isElected(); ) {
    const started = performance.now();
    const { rows } = await pool.query<{ looked: number; last: string | null; gone: number }>(
      'select looked, last, gone from thin_versions($1, $2, $3, $4, $5)',
      [after, before, everyones, WORKSPACES, VERSIONS],
    );
    const [page] = rows;
    if (!page?.last || (page.looked < WORKSPACES && page.gone < VERSIONS)) return;
    if (page.gone < VERSIONS) after = page.last;
    await sleep(performance.now() - started);
  }
}

/** `everyones`: the limit of users without their own. `least`: the shortest limit of any user; null: nothing expires. */
type Limit = { readonly everyones: Days; readonly least: Days };

async function readLimits(pool: EnginePool, defaults: Retention): Promise<Record<RetentionKind, Limit>> {
  const { rows } = await pool.query<{ kind: RetentionKind; isSet: boolean; everyones: Days; least: Days }>(
    `select kind, bool_or(user_id = $1) as "isSet", max(days) filter (where user_id = $1) as everyones, min(days) as least
     from retention group by kind`,
    [EVERYONE],
  );
  const limitOf = (kind: RetentionKind): Limit => {
    const row = rows.find((found) => found.kind === kind);
    const everyones = row?.isSet ? row.everyones : defaults[kind];
    const set = [everyones, row?.least ?? null].filter((days) => days !== null);
    return { everyones, least: set.length > 0 ? Math.min(...set) : null };
  };
  return {
    threads: limitOf('threads'),
    versions: limitOf('versions'),
    notes: limitOf('notes'),
    jobs: limitOf('jobs'),
    deliveries: limitOf('deliveries'),
    occurrences: limitOf('occurrences'),
    usage: limitOf('usage'),
    audit: limitOf('audit'),
  };
}

/** The limit of a row's owner, in days; `$3` is for users without their own. */
const DAYS = 'case when own.user_id is null then $3::integer else own.days end';
/** `$2` is the shortest limit of all, for which there is an index. */
const isOlder = (column: string) =>
  `${column} < now() - make_interval(days => $2::integer) and ${column} < now() - make_interval(days => ${DAYS})`;
const rulesOf = (table: string, kind: RetentionKind) =>
  `left join retention as own on own.user_id = ${table}.user_id and own.kind = '${kind}'`;

const PURGE: Record<Exclude<RetentionKind, 'threads' | 'versions' | 'notes'>, string> = {
  // A job's thread is deleted with it, unless the caller named the thread in order to continue it, or another of its jobs is still kept.
  // The thread is locked before its jobs, as by all others who lock both. One that is locked already keeps its jobs for this round.
  jobs: `
    with expired as (
      select jobs.id, jobs.thread_id from jobs ${rulesOf('jobs', 'jobs')} where ${isOlder('completed_at')} limit $1
    ), held as materialized (
      select threads.id from threads where threads.id in (select thread_id from expired) order by threads.id for update skip locked
    ), purged as (
      delete from jobs where id = any (array(
        select expired.id from expired where thread_id in (select id from held)
          or not exists (select from threads where threads.id = expired.thread_id)))
      returning id, thread_id
    ), done as (
      delete from threads where id = any (array(
        select threads.id from threads where threads.id in (select thread_id from purged)
          and active is null
          and not exists (select from gates where gates.thread_id = threads.id and answered_at is null)
          and not exists (select from conversations where conversations.thread_id = threads.id)
          and not exists (
            select from jobs where jobs.thread_id = threads.id and jobs.id not in (select id from purged))
        for update of threads))
      returning id
    ), emptied as (
      delete from items where thread_id in (select id from done)
    )
    select count(*)::integer as gone from purged`,

  // The callback of a job is kept as long as its job, which shows it.
  deliveries: `
    with purged as (
      delete from deliveries where id = any (array(
        select deliveries.id from deliveries ${rulesOf('deliveries', 'deliveries')} where ${isOlder('ended_at')}
          and (deliveries.kind <> 'callback' or not exists (select from jobs where jobs.id = deliveries.id)) limit $1))
      returning 1
    )
    select count(*)::integer as gone from purged`,

  // The key that made a start unique (`keyPrefixOf` in the domain) is not needed any more: an ended occurrence never starts.
  occurrences: `
    with purged as (
      delete from occurrences where (mission_id, slot) in (
        select mission_id, slot from occurrences ${rulesOf('occurrences', 'occurrences')} where ${isOlder('ended_at')} limit $1
        for update of occurrences skip locked)
      returning mission_id, slot, user_id
    ), released as (
      delete from idempotency_keys using purged where idempotency_keys.user_id = purged.user_id
        and key = 'mission:' || mission_id || ':' || (extract(epoch from slot) * 1000)::bigint
    )
    select count(*)::integer as gone from purged`,

  usage: `
    with purged as (
      delete from usage_days where ctid = any (array(
        select usage_days.ctid from usage_days ${rulesOf('usage_days', 'usage')}
        where day < (now() at time zone 'utc')::date - $2::integer and day < (now() at time zone 'utc')::date - (${DAYS}) limit $1))
      returning 1
    )
    select count(*)::integer as gone from purged`,

  audit: 'select purge_audit($1, least($2::integer, $3::integer)) as gone',
};

// A version is replaced when the next one is written: everything before a version of that age is, and a deletion itself.
// SKIP LOCKED: a transaction that changes or forgets several notes locks their versions in another order, so do not wait for it.
const PURGE_NOTE_VERSIONS = `
  with purged as (
    delete from note_versions where ctid = any (array(
      select gone.ctid from note_versions as old ${rulesOf('old', 'notes')}
      join note_versions as gone on gone.user_id = old.user_id and gone.path = old.path
        and (gone.version < old.version or gone.version = old.version and gone.text is null)
      where ${isOlder('old.written_at')} limit $1 for update of gone skip locked))
    returning 1
  )
  select count(*)::integer as gone from purged`;
