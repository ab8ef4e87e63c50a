import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { QUICK_TIMES } from '../support/quick-times.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ times: { ...ENGINE_TIMES, firstPurge: QUICK_TIMES.firstPurge } });
});

afterAll(() => cluster.close());

const EVENTS = 200_000;
const OTHERS = 20_000;
const ALL = EVENTS + 2 * OTHERS;
const PER_SECOND = 5000;
const LONGEST_STATEMENT_MS = 2000;

test('expired rows are purged at more than 5,000 rows a second, in short statements, by one replica', async () => {
  await query(cluster, OLD_EVENTS, [EVENTS]);
  await query(cluster, OLD_LIMITS, [OTHERS]);
  await query(cluster, OLD_JOBS, [OTHERS]);
  const lines = await Promise.all([cluster.startLine(), cluster.startLine(), cluster.startLine()]);
  const counts = lines.map((line) => line.count(/delete from turn_events/));

  let begun = performance.now(); // the last time when nothing was gone yet
  await Promise.all(lines.map((line) => cluster.start(line)));
  let longest = 0; // of the statements seen
  await waitFor(
    'all to be gone',
    async () => {
      longest = Math.max(longest, await ageOfPurge());
      const asked = performance.now();
      const left = await countLeft();
      if (left === ALL) begun = asked;
      return left === 0;
    },
    120_000,
  );
  const perSecond = ALL / ((performance.now() - begun) / 1000);
  console.log(`purged ${perSecond.toFixed(0)} rows a second, longest statement ${longest} ms`);
  expect(perSecond).toBeGreaterThan(PER_SECOND);
  expect(longest).toBeLessThan(LONGEST_STATEMENT_MS);
  expect(counts.filter((count) => count() > 0)).toHaveLength(1);
});

const OLD_EVENTS = `
  insert into turn_events (turn_id, first, last, events, created_at)
  select gen_random_uuid(), 0, 0, '[]', now() - interval '2 hours' from generate_series(1, $1::integer)`;

const OLD_LIMITS = `
  insert into rate_windows (key, slots, counts, expires_at)
  select 'old-' || n, '{1}', '{1}', now() - interval '2 hours' from generate_series(1, $1::integer) as n`;

const OLD_JOBS = `
  insert into jobs (id, user_id, thread_id, turn_id, status, created_at, completed_at)
  select gen_random_uuid(), 'ann', gen_random_uuid(), gen_random_uuid(), 'completed', old, old
  from (select now() - interval '400 days' as old from generate_series(1, $1::integer)) as times`;

async function countLeft(): Promise<number> {
  const [row] = await query<{ count: number }>(
    cluster,
    `select ((select count(*) from turn_events) + (select count(*) from rate_windows where key like 'old-%')
       + (select count(*) from jobs))::integer as count`,
  );
  return row?.count ?? 0;
}

/** How long the current delete statement has been running, in milliseconds. */
async function ageOfPurge(): Promise<number> {
  const [row] = await query<{ age: number }>(
    cluster,
    `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::integer as age
     from pg_stat_activity where state <> 'idle' and query ~ 'delete from' and pid <> pg_backend_pid()`,
  );
  return row?.age ?? 0;
}
