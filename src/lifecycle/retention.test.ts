import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId, type ThreadId } from '#domain/ids.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { connectEngine, type EnginePool } from '#engine/engine-connection.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { forgetOld } from './forget.ts';
import { type PurgedThread, purgeExpired, purgeNoteVersions, purgeOrphans, purgeThreads } from './retention.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
});

afterAll(async () => {
  await pool.end();
  await database.close();
});

beforeEach(async () => {
  await pool.query(
    'truncate threads, turns, gates, items, jobs, occurrences, missions, usage_days, retention, deliveries, outbox, turn_events cascade',
  );
});

const DAY_MS = 86_400_000;
const defaults = { ...DEFAULT_RETENTION, jobs: 30 };

async function rule(userId: string, kind: string, days: number | null): Promise<void> {
  await pool.query('insert into retention (user_id, kind, days) values ($1, $2, $3)', [userId, kind, days]);
}

type Shape = { userId?: string; age: number; turn?: string; gate?: boolean; callback?: string; bytes?: number };

/** A thread of one turn and two items, last changed `age` days ago. */
async function addThread({ userId = 'ann', age, turn = 'completed', gate, callback, bytes = 100 }: Shape) {
  const id = newId<ThreadId>(Date.now() - age * DAY_MS);
  const turnId = newId();
  const isActive = turn === 'queued' || turn === 'running';
  await pool.query(
    `with thread as (
       insert into threads (id, user_id, last_seq, active, bytes, created_at, updated_at)
       values ($1, $2, 1, $4, $6, now() - make_interval(days => $5), now() - make_interval(days => $5))
     ), turn as (
       insert into turns (id, thread_id, user_id, seq, status, channel, request) values ($3, $1, $2, 1, $7, 'chat', '{}')
     )
     insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
     select $1, 1, n, gen_random_uuid(), $3, $2, '{}' from generate_series(0, 1) as n`,
    [id, userId, turnId, isActive ? turnId : null, age, bytes, turn],
  );
  if (gate !== undefined)
    await pool.query(
      `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, answered_at)
       values ($1, $2, $3, 1, $4, 'approval', '{}', case when $5 then now() end)`,
      [newId(), id, turnId, userId, !gate],
    );
  if (callback)
    await pool.query(
      `insert into jobs (id, user_id, thread_id, turn_id, status, completed_at)
       values ($1, $2, $3, $1, 'completed', now())`,
      [turnId, userId, id],
    );
  if (callback)
    await pool.query(
      `insert into deliveries (id, user_id, kind, target, account, type, state, due_at, created_at, ended_at)
       values ($1, $2, 'callback', $2, 'host', 'job.completed', $3::text, now(), now(), case when $3::text = 'sent' then now() end)`,
      [turnId, userId, callback],
    );
  return id;
}

async function purge(more: { isElected?: () => boolean } = {}): Promise<PurgedThread[]> {
  const purged: PurgedThread[] = [];
  const onPurged = (thread: PurgedThread) => void purged.push(thread);
  await purgeThreads(pool, { defaults, isElected: () => true, onPurged, ...more });
  return purged;
}

const idsIn = async (table: string, column = 'thread_id') => {
  const { rows } = await pool.query<{ id: string }>(`select distinct ${column} as id from ${table} order by 1`);
  return rows.map(({ id }) => id);
};

test('events are deleted an hour after their turn has ended or was deleted, without reading all turns', async () => {
  const thread = await addThread({ age: 1 });
  await pool.query(
    `insert into turns (id, thread_id, user_id, seq, status, channel, request, ended_at)
     select gen_random_uuid(), $1, 'ann', 1 + n, 'completed', 'chat', '{}', now() - interval '2 hours' from generate_series(1, 20000) as n`,
    [thread],
  );
  await pool.query(`update turns set ended_at = null where seq = 2`);
  await pool.query(`update turns set ended_at = now() where seq = 3`);
  await pool.query(
    `insert into turn_events (turn_id, first, last, events, created_at)
     select id, seq, seq, '[]'::json, now() - interval '2 hours' from turns where seq between 2 and 6
     union all select gen_random_uuid(), 7, 7, '[]'::json, now() - interval '2 hours'
     union all select gen_random_uuid(), 8, 8, '[]'::json, now()`,
  );
  await database.everything.query('analyze turns');
  const plans: string[] = [];
  const explain = async (statement: string, values: unknown[]) => {
    const { rows } = await pool.query<Record<string, string>>(`explain ${statement}`, values);
    plans.push(rows.flatMap(Object.values).join('\n'));
    return { rowCount: 0 };
  };
  await forgetOld({ query: explain as unknown as EnginePool['query'] }, () => true);
  expect(plans[0]).toContain('Delete on turn_events');
  expect(plans[0]).not.toMatch(/Seq Scan on turns\b|hashed SubPlan/);

  await forgetOld(pool, () => true);
  expect(await idsIn('turn_events', 'first')).toEqual(['2', '3', '8']);
});

test('no thread expires unless the operator has set a limit', async () => {
  const old = await addThread({ age: 4000 });
  expect(await purge()).toEqual([]);
  expect(await idsIn('threads', 'id')).toEqual([old]);
});

test('expired threads are deleted with all their rows, and only they', async () => {
  await rule('*', 'threads', 30);
  const old = await addThread({ age: 31, gate: false, callback: 'sent' });
  const waiting = await addThread({ age: 400, turn: 'waiting', gate: true });
  const calling = await addThread({ age: 400, callback: 'pending' });
  const kept = [
    await addThread({ age: 29 }),
    await addThread({ age: 400, turn: 'running' }),
    await addThread({ age: 400, turn: 'queued' }),
    waiting,
    calling,
  ];
  const changed = await addThread({ age: 400 });
  await pool.query('update threads set updated_at = now() where id = $1', [changed]);

  expect(await purge()).toEqual([{ threadId: old, userId: 'ann' }]);
  const left = [...kept, changed].toSorted();
  expect(await idsIn('threads', 'id')).toEqual(left);
  for (const table of ['turns', 'items']) expect([table, await idsIn(table)]).toEqual([table, left]);
  expect(await idsIn('gates')).toEqual([waiting]);
  expect(await idsIn('jobs')).toEqual([calling]);
});

test("a user's limit replaces the one for everyone", async () => {
  await rule('*', 'threads', 30);
  await rule('bob', 'threads', null);
  await rule('cid', 'threads', 400);
  await rule('dan', 'threads', 2);
  const expired = [await addThread({ age: 40 }), await addThread({ userId: 'dan', age: 3 })];
  const kept = [
    await addThread({ userId: 'bob', age: 4000 }),
    await addThread({ userId: 'cid', age: 399 }),
    await addThread({ userId: 'eve', age: 3 }),
  ];

  expect((await purge()).map(({ threadId }) => threadId)).toEqual(expired);
  expect(await idsIn('threads', 'id')).toEqual(kept.toSorted());
});

test('a thread that a transaction holds is left, and nothing waits for it', async () => {
  await rule('*', 'threads', 30);
  const [held, free] = [await addThread({ age: 40 }), await addThread({ age: 40 })];
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from threads where id = $1 for no key update', [held]);

  expect((await purge()).map(({ threadId }) => threadId)).toEqual([free]);
  await client.query('rollback');
  client.release();
  expect((await purge()).map(({ threadId }) => threadId)).toEqual([held]);
});

test('a thread whose subagent gets a message is left', async () => {
  await rule('*', 'threads', 30);
  const [top, child] = [await addThread({ age: 40 }), await addThread({ age: 40 })];
  await pool.query('update threads set parent = $2, root = $2 where id = $1', [child, top]);
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from threads where id = $1 for no key update', [child]);

  expect(await purge()).toEqual([]);
  await client.query('rollback');
  client.release();
  expect((await purge()).map(({ threadId }) => threadId)).toEqual([top, child]);
});

test('many and large threads are deleted in several statements, and a replica that is not elected any more stops between them', async () => {
  await rule('*', 'threads', 30);
  await pool.query(
    `insert into threads (id, user_id, last_seq, updated_at)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'ann', 1, now() - interval '90 days' from generate_series(1, 700) as n`,
  );
  for (let n = 0; n < 3; n++) await addThread({ age: 60, bytes: 12 * 1024 * 1024 });
  let asked = 0;
  const first = await purge({ isElected: () => asked++ < 1 });
  expect(first).toHaveLength(500);

  expect(await purge()).toHaveLength(203);
  expect(await idsIn('items')).toEqual([]);
});

test('each kind expires by its own limit, or by the limit of its owner', async () => {
  await rule('bob', 'jobs', 400);
  await rule('bob', 'usage', 40);
  await rule('*', 'deliveries', 60);
  await pool.query(
    `insert into jobs (id, user_id, thread_id, turn_id, status, completed_at)
     select gen_random_uuid(), owner, gen_random_uuid(), gen_random_uuid(), 'completed', now() - make_interval(days => age)
     from unnest('{ann,bob}'::text[]) as owner, unnest('{29,31,401}'::integer[]) as age`,
  );
  await pool.query(
    `insert into usage_days select owner, (now() at time zone 'utc')::date - age, 'p', 'm', 0, 1, 0, 0, 1, 0, 1, 0, 1
     from unnest('{ann,bob}'::text[]) as owner, unnest('{39,41,1094,1096}'::integer[]) as age`,
  );
  await pool.query(
    `insert into deliveries (id, user_id, kind, target, account, type, state, due_at, created_at, ended_at)
     select id, 'ann', kind, 't', 'h', 'x', 'sent', now(), now(), now() - make_interval(days => age)
     from (select gen_random_uuid(), 'webhook', unnest('{59,61}'::integer[])
       union all (select id, 'callback', 61 from jobs where user_id = 'bob' order by completed_at desc limit 1)) as ended (id, kind, age)`,
  );
  await purgeExpired(pool, { defaults, isElected: () => true });

  const counts = async (table: string) => {
    const { rows } = await pool.query<{ userId: string; count: number }>(
      `select user_id as "userId", count(*)::integer as count from ${table} group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ userId, count }) => [userId, count]));
  };
  expect(await counts('jobs')).toEqual({ ann: 1, bob: 2 });
  expect(await counts('usage_days')).toEqual({ ann: 3, bob: 1 });
  // The callback of a kept job, and the newer notification.
  expect(await counts('deliveries')).toEqual({ ann: 2 });
});

test('a deleted assistant goes with the last turn that names it, and use for budgets of a day after that day', async () => {
  const named = await addThread({ age: 1 });
  const ids: Record<string, string> = { named: newId(), free: newId(), fresh: newId(), kept: newId() };
  for (const [name, id] of Object.entries(ids))
    await pool.query(
      `insert into assistants (id, user_id, name, version, deleted_at)
       values ($1, 'ann', $2, 1, case $2 when 'kept' then null when 'fresh' then now() else now() - interval '2 hours' end)`,
      [id, name],
    );
  await pool.query(`insert into assistant_versions (assistant, version, user_id, description, settings, written_by)
    select id, 1, user_id, '', '{}', user_id from assistants`);
  await pool.query('update turns set assistant = $1', [ids['named']]);
  await pool.query(`insert into work_days select 'ann', (now() at time zone 'utc')::date - age, gen_random_uuid(), 0, 1, 1
    from generate_series(0, 3) as age`);
  const left = async () =>
    (
      await pool.query<{ name: string }>(
        `select name from assistants join assistant_versions on assistant = id order by name`,
      )
    ).rows;

  await forgetOld(pool, () => true);
  expect((await left()).map(({ name }) => name)).toEqual(['fresh', 'kept', 'named']);
  expect((await pool.query('select from work_days')).rowCount).toBe(2);
  await pool.query('delete from threads where id = $1', [named]);
  await forgetOld(pool, () => true);
  expect((await left()).map(({ name }) => name)).toEqual(['fresh', 'kept']);
});

test('a job takes its thread with it, but never one that waits at a gate', async () => {
  for (const gate of [true, false]) await addThread({ userId: 'webhook:ann', age: 40, gate, callback: 'sent' });
  await pool.query(`update jobs set completed_at = now() - interval '40 days'`);
  await purgeExpired(pool, { defaults, isElected: () => true });

  expect(await idsIn('jobs', 'id')).toEqual([]);
  expect(await idsIn('threads', 'id')).toEqual(await idsIn('gates'));
  expect(await idsIn('items')).toEqual(await idsIn('gates'));
});

test('an expired job or run that a transaction holds is left, and nothing waits for it', async () => {
  const held = await addThread({ userId: 'webhook:ann', age: 40, callback: 'sent' });
  await addThread({ userId: 'webhook:ann', age: 40, callback: 'sent' });
  await pool.query(`update jobs set completed_at = now() - interval '40 days'`);
  await pool.query(`
    with mission as (
      insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after)
      values (gen_random_uuid(), 'ann', 'm', 'x', '{}', '', false, 'skip', 'skip', 3) returning id)
    insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at, ended_at)
    select id, ended, 'ann', 'scheduled', 'completed', 1, ended, ended
    from mission, generate_series(now() - interval '9000 days', now() - interval '8999 days', '1 day') as ended`);
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from threads where id = $1 for no key update', [held]);
  await client.query('select from occurrences order by slot limit 1 for update');

  await purgeExpired(pool, { defaults, isElected: () => true });
  expect(await idsIn('jobs')).toEqual([held]);
  expect(await idsIn('occurrences', 'slot')).toHaveLength(1);
  expect(await idsIn('threads', 'id')).toEqual([held]);
  await client.query('rollback');
  client.release();
  await purgeExpired(pool, { defaults, isElected: () => true });
  expect([...(await idsIn('threads', 'id')), ...(await idsIn('occurrences', 'slot'))]).toEqual([]);
});

test('the thread of a subagent is deleted after the one at the top, once nothing runs there', async () => {
  const [top, kept] = [await addThread({ age: 40, callback: 'sent' }), await addThread({ age: 40 })];
  const addBelow = async (parent: ThreadId, root: ThreadId, turn = 'completed') => {
    const id = await addThread({ age: 40, turn, ...(turn === 'waiting' && { gate: true }) });
    await pool.query('update threads set parent = $2, root = $3 where id = $1', [id, parent, root]);
    return id;
  };
  const child = await addBelow(top, top);
  await addBelow(child, top);
  await addBelow(top, top, 'waiting');
  const running = await addBelow(top, top, 'running');
  const other = await addBelow(kept, kept);
  await pool.query(`update jobs set completed_at = now() - interval '31 days'`);
  await purgeExpired(pool, { defaults, isElected: () => true });
  expect(await idsIn('threads', 'id')).not.toContain(top);

  await purgeOrphans(pool, { isElected: () => true });
  const left = [kept, running, other].toSorted();
  expect(await idsIn('threads', 'id')).toEqual(left);
  expect(await idsIn('items')).toEqual(left);
  expect(await idsIn('gates')).toEqual([]);
});

test('the audit log loses old entries only, and never entries of the last 90 days', async () => {
  for (const age of [1, 89, 91, 1000])
    await pool.query(
      `insert into audit (at, actor, action) values (now() - make_interval(days => $1), 'operator', $1::text)`,
      [age],
    );
  const actions = async () =>
    (await pool.query<{ action: string }>('select action from audit order by at desc')).rows.map(
      ({ action }) => action,
    );
  await purgeExpired(pool, { defaults, isElected: () => true });
  expect(await actions()).toEqual(['1', '89', '91', '1000']);
  await rule('*', 'audit', 1);
  await purgeExpired(pool, { defaults, isElected: () => true });
  expect(await actions()).toEqual(['1', '89']);

  await expect(pool.query('delete from audit')).rejects.toThrow('only ever appended to');
});

test('versions of notes expire after they were replaced or deleted; the newest text stays', async () => {
  await pool.query('truncate note_versions');
  await rule('bob', 'notes', null);
  const versions: [user: string, path: string, version: number, text: string | null, age: number][] = [
    ['ann', 'old', 1, 'one', 900],
    ['ann', 'old', 2, 'two', 500],
    ['ann', 'new', 1, 'one', 900],
    ['ann', 'new', 2, 'two', 100], // the first one was replaced then
    ['ann', 'gone', 1, 'one', 900],
    ['ann', 'gone', 2, null, 500],
    ['bob', 'gone', 1, 'one', 900],
    ['bob', 'gone', 2, null, 500],
  ];
  for (const version of versions)
    await pool.query(
      `insert into note_versions (user_id, path, version, text, written_at, origin, written_by)
       values ($1, $2, $3, $4, now() - make_interval(days => $5), 'person', 'person')`,
      version,
    );
  await purgeNoteVersions(pool, { defaults, isElected: () => true });
  const { rows } = await pool.query('select user_id, path, version from note_versions order by 1, 2, 3');
  expect(rows.map((row) => Object.values(row as object).join(' '))).toEqual([
    'ann new 1',
    'ann new 2',
    'ann old 2',
    'bob gone 1',
    'bob gone 2',
  ]);
});

test('expired versions that another transaction holds wait for the next round', async () => {
  await pool.query('truncate note_versions');
  for (const path of ['a', 'b'])
    await pool.query(
      `insert into note_versions (user_id, path, version, text, written_at, origin, written_by)
       values ('ann', $1, 1, null, now() - interval '900 days', 'person', 'person')`,
      [path],
    );
  const left = async () => (await pool.query<{ path: string }>('select path from note_versions')).rows;
  const holder = await database.everything.connect();
  try {
    await holder.query('begin');
    await holder.query(`delete from note_versions where path = 'b'`);
    await purgeNoteVersions(pool, { defaults, isElected: () => true });
    await holder.query('rollback');
  } finally {
    holder.release(true);
  }
  expect(await left()).toEqual([{ path: 'b' }]);
  await purgeNoteVersions(pool, { defaults, isElected: () => true });
  expect(await left()).toEqual([]);
});
