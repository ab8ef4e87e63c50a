import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { signalPostmaster } from './harms.ts';
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
      const begun = (MISSIONS * (kill + 0.5)) / KILLS;
      await waitFor('more runs', async () => (await countOccurrences()) >= begun, 120_000);
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

const ZONES = ['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu'];
const FORMS = {
  long: { missions: 500, minutes: 20, kills: 200, restarts: 10 },
  middle: { missions: 200, minutes: 10, kills: 30, restarts: 3 },
};

test.runIf(process.env['ENDURANCE'])(
  'minute after minute, three replicas, kills and restarts of PostgreSQL: no due time is missing or doubled',
  async () => {
    const form = process.env['ENDURANCE'] === 'middle' ? FORMS.middle : FORMS.long;
    const { missions, minutes, kills, restarts } = form;
    await query(cluster, 'delete from missions');
    await query(cluster, `delete from turns where channel = 'mission'`);
    while (cluster.replicas.size < 3) await cluster.start();
    const start = Math.ceil(Date.now() / 60_000 + 0.5) * 60_000;
    for (let index = 0; index < missions; index++) {
      const anchor = new Date(start + (index % 2) * (index % 60) * 1000);
      const schedule =
        index % 2 === 0
          ? { kind: 'cron', expression: '* * * * *', timeZone: ZONES[(index / 2) % 5] }
          : { kind: 'interval', everyMinutes: 1, anchor: anchor.toISOString() };
      await addMission(schedule, anchor, index);
    }
    await sleep(Math.max(0, start - Date.now()));
    for (let kill = 0; kill < kills; kill++) {
      await sleep(Math.max(0, start + ((kill + 0.5) / kills) * minutes * 60_000 - Date.now()));
      const victims = [...cluster.replicas];
      await Promise.all([startAgain(), victims[kill % victims.length]?.kill()]);
      if (kill % Math.ceil(kills / restarts) === 1) await signalPostmaster(cluster, 'SIGINT');
    }
    const end = new Date(start + minutes * 60_000 - 1);
    await sleep(Math.max(0, end.getTime() + 61_000 - Date.now()));
    await query(cluster, `update missions set state = 'paused', next_due_at = null`);
    const open = () =>
      query<{ state: string }>(cluster, `select state from occurrences where state in ('due', 'started') limit 1`);
    await waitFor('all runs to end', async () => (await open()).length === 0, 300_000);

    const [rows] = await query<{ count: number; runs: number; turns: number; p50: number; p95: number }>(
      cluster,
      `select count(*) filter (where slot <= $1)::integer as count, count(turn_id)::integer as runs,
         (select count(*)::integer from turns where channel = 'mission') as turns,
         percentile_cont(0.5) within group (order by extract(epoch from started_at - slot))::float8 as p50,
         percentile_cont(0.95) within group (order by extract(epoch from started_at - slot))::float8 as p95 from occurrences`,
      [end],
    );
    const outcomes = (await statesOf()).map(({ state, count }) => `${count} ${state}`).join(', ');
    const figures = `${rows?.count} due times (${outcomes}), ${restarts} restarts of PostgreSQL, from due to started p50 ${rows?.p50.toFixed(1)} s, p95 ${rows?.p95.toFixed(1)} s`;
    console.log(figures);
    await addFigures('missions, every minute in five time zones, `kill -9` of one of three replicas', kills, figures);
    expect(rows?.count).toBe(missions * minutes);
    expect(rows?.turns).toBe(rows?.runs);
  },
  3_600_000,
);

/** As a supervisor does: a replica that starts while PostgreSQL restarts may end. */
async function startAgain(): Promise<void> {
  for (let start = 1; ; start++) {
    try {
      await cluster.start();
      return;
    } catch (error) {
      if (start === 5) throw error;
    }
  }
}

/** One due time for each mission, within the next seconds, and none after it. */
async function addMissions(): Promise<void> {
  for (let index = 0; index < MISSIONS; index++) {
    const due = new Date(Math.ceil(Date.now() / 1000) * 1000 + Math.floor((index / MISSIONS) * SECONDS) * 1000 + 1000);
    const schedule = { kind: 'interval', everyMinutes: 60, anchor: due.toISOString() };
    await addMission(schedule, due, index);
  }
}

async function addMission(schedule: object, due: Date, index: number): Promise<void> {
  await query(
    cluster,
    `insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after, next_due_at)
     values ($1, $2, 'm', 'say done', $3, $4, $5, 'latest', 'skip', 5, $6)`,
    [newId(), `user-${index % 50}`, JSON.stringify(schedule), process.versions['tz'], index % 2 === 0, due],
  );
}

const countOccurrences = async () => (await query(cluster, 'select from occurrences')).length;

const statesOf = () =>
  query<{ state: string; count: number }>(
    cluster,
    'select state, count(*)::integer as count from occurrences group by state',
  );
