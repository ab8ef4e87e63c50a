// @module-tag slow
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MissionId, newId } from '#domain/ids.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { nextSlot } from './due-times.ts';
import { createOccurrences } from './scheduler.ts';

const HOUR = 3_600_000;
/** `npm run endurance` moves the clock in small steps. */
const STEP_HOURS = process.env['ENDURANCE'] ? 0.5 : 18;
const ZONES = ['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'America/Havana'];
const EXPRESSIONS = ['30 2 * * *', '0,30 0-3 * * *', '0 */6 * * *', '0 0 * * 1-5'];

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
const workers: pg.Pool[] = [];

beforeAll(async () => {
  database = await openMigratedDatabase();
  // A clock that the test moves. `skew` moves it for one connection only.
  await database.everything.query(`
    create schema moved;
    create table moved.clock (at timestamptz not null);
    insert into moved.clock values ('2026-01-01');
    create function moved.now() returns timestamptz language sql stable as
      $$ select at + coalesce(nullif(current_setting('test.skew', true), ''), '0 s')::interval from moved.clock $$`);
  for (const skew of ['0s', '0s', '-1h', '1h']) workers.push(connectWorker(skew));
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end()));
  await database.close();
});

const connectWorker = (skew: string): pg.Pool =>
  database.connectEverything({ search_path: 'moved,pg_catalog,public', 'test.skew': skew, application_name: 'worker' });

async function addMission(schedule: Schedule, from: Date): Promise<MissionId> {
  const id = newId<MissionId>();
  await database.everything.query(
    `insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after, next_due_at)
     values ($1, 'ann', 'm', 'say hello', $2, 'x', true, 'latest', 'skip', 5, $3)`,
    [id, JSON.stringify(schedule), nextSlot(schedule, from)],
  );
  return id;
}

const slotsOf = async (id: MissionId): Promise<string[]> => {
  const { rows } = await database.everything.query<{ slot: Date }>(
    'select slot from occurrences where mission_id = $1 order by slot',
    [id],
  );
  return rows.map(({ slot }) => slot.toISOString());
};

test.each([
  ['spring in the north', '2026-03-05T00:00:00Z', '2026-04-08T00:00:00Z'],
  ['autumn in the north', '2026-10-01T00:00:00Z', '2026-11-04T00:00:00Z'],
])(
  'four replicas, two of them with a wrong clock, and cut connections: each due time has one row (%s)',
  async (_, from, until) => {
    const [start, end] = [new Date(from), new Date(until)];
    const schedules = ZONES.flatMap((timeZone) =>
      EXPRESSIONS.map((expression): Schedule => ({ kind: 'cron', expression, timeZone })),
    );
    const missions = await Promise.all(
      schedules.map(async (schedule) => [await addMission(schedule, start), schedule] as const),
    );

    for (let at = start.getTime(), step = 0; at < end.getTime(); at += STEP_HOURS * HOUR, step++) {
      await setClock(new Date(at));
      if (step % 10 === 5) void cutConnections();
      await Promise.allSettled(workers.map((worker) => createOccurrences(worker)));
    }
    await setClock(end);
    const [sound] = workers;
    if (sound) await createOccurrences(sound);

    for (const [id, schedule] of missions) {
      const ahead = new Date(end.getTime() + HOUR); // the clock that is an hour ahead
      const expected = slotsUntil(schedule, start, ahead);
      const slots = await slotsOf(id);
      const certain = expected.filter((slot) => slot <= end).map((slot) => slot.toISOString());
      expect(slots).toEqual(expected.slice(0, slots.length).map((slot) => slot.toISOString()));
      expect(slots.length).toBeGreaterThanOrEqual(certain.length);
    }
    await database.everything.query('delete from missions');
  },
  process.env['ENDURANCE'] ? 900_000 : 60_000,
);

function slotsUntil(schedule: Schedule, start: Date, until: Date): Date[] {
  const slots: Date[] = [];
  for (let slot = nextSlot(schedule, start); slot && slot <= until; slot = nextSlot(schedule, slot)) slots.push(slot);
  return slots;
}

const setClock = (at: Date) => database.everything.query('update moved.clock set at = $1', [at]);

const cutConnections = () =>
  database.everything.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'worker'`);

test('a schedule that cannot be computed pauses its mission and no other', async () => {
  const start = new Date('2026-06-01T00:00:00Z');
  await setClock(new Date('2026-06-01T03:00:10Z'));
  const good = await addMission({ kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' }, start);
  const bad = await addMission({ kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' }, start);
  await database.everything.query(`update missions set schedule = $2 where id = $1`, [
    bad,
    JSON.stringify({ kind: 'cron', expression: '0 3 * * *', timeZone: 'Europe/Atlantis' }),
  ]);
  const [worker] = workers;
  if (worker) await createOccurrences(worker);

  const { rows } = await database.everything.query(
    'select id, state, pause_reason as reason from missions where id = any($1)',
    [[good, bad]],
  );
  expect(rows).toContainEqual({ id: good, state: 'active', reason: null });
  expect(rows).toContainEqual({ id: bad, state: 'paused', reason: 'broken_schedule' });
  expect(await slotsOf(good)).toEqual(['2026-06-01T03:00:00.000Z']);
});
