import { expect, test } from 'vitest';
import { type MissionId, newId } from '#domain/ids.ts';
import type { Mission } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import { planSlots } from './plan-slots.ts';

const EVERY_TEN: Schedule = { kind: 'interval', everyMinutes: 10, anchor: '2026-01-01T00:00:00.000Z' };
const id = newId<MissionId>();
const at = (time: string) => new Date(`2026-03-01T${time}Z`);

function plan(misfire: Mission['misfire'], first: string, now: string, schedule = EVERY_TEN) {
  const { slots, next } = planSlots({ id, misfire, schedule }, at(first), at(now));
  return { slots, next, due: slots.filter(({ state }) => state === 'due').map(({ slot }) => slot) };
}

test.each(['skip', 'latest', 'all'] as const)('a due time seen within a minute runs with misfire "%s"', (misfire) => {
  const { slots, next } = plan(misfire, '08:00:00', '08:00:21');
  expect(slots).toEqual([{ slot: at('08:00:00'), state: 'due', reason: null, dueAt: at('08:00:00'), isLate: false }]);
  expect(next).toEqual(at('08:10:00'));
});

test('after six hours each policy runs what it says, and every due time has a row', () => {
  expect(plan('skip', '08:00:00', '14:05:00').due).toEqual([]);
  expect(plan('latest', '08:00:00', '14:05:00').due).toEqual([at('14:00:00')]);
  expect(plan('all', '08:00:00', '14:05:00').due).toHaveLength(10);
  for (const misfire of ['skip', 'latest', 'all'] as const) {
    const { slots, next } = plan(misfire, '08:00:00', '14:05:00');
    expect(slots).toHaveLength(37);
    expect(next).toEqual(at('14:10:00'));
  }
});

test('a run that is on time replaces the late ones, unless all are wanted', () => {
  expect(plan('latest', '08:00:00', '14:00:30').due).toEqual([at('14:00:00')]);
  expect(plan('all', '08:00:00', '14:00:30').due).toHaveLength(11);
});

test('late runs start within two minutes, each mission at its own moment', () => {
  const moments = Array.from({ length: 50 }, () => {
    const planned = planSlots(
      { id: newId<MissionId>(), misfire: 'latest', schedule: EVERY_TEN },
      at('08:00:00'),
      at('14:05:00'),
    );
    return planned.slots.at(-1)?.dueAt.getTime() ?? 0;
  });
  expect(new Set(moments).size).toBeGreaterThan(20);
  expect(Math.min(...moments)).toBeGreaterThanOrEqual(at('14:05:00').getTime());
  expect(Math.max(...moments)).toBeLessThan(at('14:07:00').getTime());
});

test('a run that is more than twelve hours late is missed', () => {
  const daily: Schedule = { kind: 'cron', expression: '0 6 * * *', timeZone: 'UTC' };
  expect(plan('latest', '06:00:00', '17:59:00', daily).due).toEqual([at('06:00:00')]);
  expect(plan('latest', '06:00:00', '18:00:01', daily).due).toEqual([]);
  const once: Schedule = { kind: 'once', at: '2026-03-01T06:00', timeZone: 'UTC' };
  expect(plan('latest', '06:00:00', '18:00:01', once)).toMatchObject({
    due: [],
    next: null,
    slots: [{ state: 'missed' }],
  });
});

test('a long outage is planned in pieces without a gap, and a very long one is listed from a week ago', () => {
  const everyMinute: Schedule = { kind: 'interval', everyMinutes: 1, anchor: '2026-01-01T00:00:00.000Z' };
  const listed: Date[] = [];
  let first: Date | null = new Date('2026-02-01T00:00:00Z');
  const now = at('08:00:30');
  while (first && first <= now) {
    const planned = planSlots({ id, misfire: 'latest', schedule: everyMinute }, first, now);
    listed.push(...planned.slots.map(({ slot }) => slot));
    first = planned.next;
  }
  expect(first).toEqual(at('08:01:00'));
  expect(listed).toHaveLength(1 + 7 * 24 * 60);
  expect(new Set(listed.map(Number)).size).toBe(listed.length);
});
