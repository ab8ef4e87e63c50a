import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const MISSIONS = rounds(60, 1000);
const KILLS = rounds(3, 60);
const SECONDS = rounds(9, 240);

test(
  'every due time has one occurrence, one turn and one outcome, also when replicas are killed meanwhile',
  async () => {
    await Promise.all([cluster.start(), cluster.start()]);
    await addMissions();
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep((SECONDS / KILLS) * 1000);
      const [victim] = cluster.replicas;
      const [started] = await Promise.all([cluster.start(), victim?.kill()]);
      expect(started.pid).toBeGreaterThan(0);
    }
    const all = JSON.stringify([{ state: 'completed', count: MISSIONS }]);
    await waitFor('all runs to end', async () => JSON.stringify(await statesOf()) === all, 120_000);
    const [turns] = await query<{ turns: number; runs: number }>(
      cluster,
      `select (select count(*)::integer from turns where channel = 'mission') as turns,
         (select count(distinct turn_id)::integer from occurrences) as runs`,
    );
    expect(turns).toEqual({ turns: MISSIONS, runs: MISSIONS });
    const [delay] = await query<{ p50: number; p95: number }>(
      cluster,
      `select percentile_cont(0.5) within group (order by extract(epoch from started_at - slot))::float8 as p50,
         percentile_cont(0.95) within group (order by extract(epoch from started_at - slot))::float8 as p95 from occurrences`,
    );
    console.log(
      `${MISSIONS} due times, ${KILLS} kills, delay p50 ${delay?.p50.toFixed(2)} s, p95 ${delay?.p95.toFixed(2)} s`,
    );
  },
  120_000 + SECONDS * 2000,
);

/** One due time for each mission, within the next seconds, and none after it. */
async function addMissions(): Promise<void> {
  for (let index = 0; index < MISSIONS; index++) {
    const due = new Date(Math.ceil(Date.now() / 1000) * 1000 + Math.floor((index / MISSIONS) * SECONDS) * 1000 + 1000);
    const schedule = { kind: 'interval', everyMinutes: 60, anchor: due.toISOString() };
    await query(
      cluster,
      `insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after, next_due_at)
       values ($1, $2, 'm', 'say done', $3, $4, $5, 'latest', 'skip', 5, $6)`,
      [newId(), `user-${index % 20}`, JSON.stringify(schedule), process.versions['tz'], index % 2 === 0, due],
    );
  }
}

const statesOf = () =>
  query<{ state: string; count: number }>(
    cluster,
    'select state, count(*)::integer as count from occurrences group by state',
  );
