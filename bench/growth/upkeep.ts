import type pg from 'pg';
import { DEFAULT_RETENTION, EVERYONE } from '#domain/retention.ts';
import type { EnginePool } from '#engine/engine-connection.ts';
import { forgetOld } from '#lifecycle/forget.ts';
import { purgeExpired, purgeThreads } from '#lifecycle/retention.ts';

const defaults = { ...DEFAULT_RETENTION, jobs: 30 };
const always = () => true;

/** Seconds of a round of retention that looks at every thread and deletes none: someone has a limit, and nothing has expired. */
export async function walkThreads(pool: EnginePool): Promise<number> {
  await pool.query(
    `insert into retention (user_id, kind, days) values ('nobody', 'threads', 1) on conflict do nothing`,
  );
  const seconds = await secondsOf(() => purgeThreads(pool, { defaults, isElected: always, onPurged: () => {} }));
  await pool.query(`delete from retention where user_id = 'nobody'`);
  return seconds;
}

/** Threads a second that retention deletes, the oldest first, until `mayContinue` ends it or all older ones are gone. */
export async function deleteOld(pool: EnginePool, days: number, mayContinue: () => boolean): Promise<number> {
  let gone = 0;
  await pool.query(`insert into retention (user_id, kind, days) values ($1, 'threads', $2) on conflict do nothing`, [
    EVERYONE,
    days,
  ]);
  const seconds = await secondsOf(() =>
    purgeThreads(pool, { defaults, isElected: mayContinue, onPurged: () => void gone++ }),
  );
  await pool.query('delete from retention where user_id = $1', [EVERYONE]);
  return gone / seconds;
}

/** Milliseconds for a thousand events of old turns, and for a round that looks for old usage, jobs and entries of the audit log. */
export async function sweep(pool: EnginePool, database: pg.ClientBase): Promise<{ events: number; rest: number }> {
  const added = await database.query(
    `insert into turn_events (turn_id, first, last, events, user_id, created_at)
     select id, 1000, 1009, '["some text"]', user_id, now() - interval '2 hours'
     from turns tablesample system ((select least(100, 2.5e6 / greatest(reltuples, 1)) from pg_class where relname = 'turns'))`,
  );
  const events = await secondsOf(() => forgetOld(pool, always));
  const rest = await secondsOf(() => purgeExpired(pool, { defaults, isElected: always }));
  return { events: (events * 1e6) / (added.rowCount || 1), rest: rest * 1000 };
}

/** Seconds of an index on the largest table, built beside traffic, and of a vacuum after deletions. */
export async function maintain(database: pg.ClientBase): Promise<{ index: number; vacuum: number }> {
  const vacuum = await secondsOf(() => database.query('vacuum items'));
  const index = await secondsOf(() => database.query('create index concurrently growth_probe on items (turn_id)'));
  await database.query('drop index growth_probe');
  return { index, vacuum };
}

export async function sizesOf(database: pg.ClientBase): Promise<{ database: number; items: number; texts: number }> {
  const { rows } = await database.query<{ database: number; items: number; texts: number }>(
    `select pg_database_size(current_database())::float8 / 1e6 as database,
       pg_total_relation_size('items')::float8 / 1e6 as items, pg_total_relation_size('item_texts')::float8 / 1e6 as texts`,
  );
  const [sizes] = rows;
  if (!sizes) throw new Error('PostgreSQL has no size for its own database.');
  return sizes;
}

async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return (performance.now() - started) / 1000;
}
