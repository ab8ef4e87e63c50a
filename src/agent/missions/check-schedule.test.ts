import { expect, test } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { OPERATOR } from '#domain/principal.ts';
import { type AskedSchedule, checkSchedule } from './check-schedule.ts';

const ME = { userId: 'ann' };
const NOW = new Date('2026-11-16T12:00:00.500Z');

function refusalOf(asked: AskedSchedule) {
  try {
    checkSchedule(ME, asked, NOW);
  } catch (error) {
    if (error instanceof InvalidRequest) return { param: error.param, message: error.message };
    throw error;
  }
  return undefined;
}

test('a valid schedule is stored in one form', () => {
  expect(checkSchedule(ME, { cron: ' 0  8 * * mon-fri ', timeZone: 'Europe/Oslo' }, NOW)).toEqual({
    kind: 'cron',
    expression: '0 8 * * MON-FRI',
    timeZone: 'Europe/Oslo',
  });
  expect(checkSchedule(ME, { everyMinutes: 90 }, NOW)).toEqual({
    kind: 'interval',
    everyMinutes: 90,
    anchor: '2026-11-16T12:00:00.000Z',
  });
  expect(checkSchedule(ME, { at: '2026-12-24T18:00', timeZone: 'Asia/Kolkata' }, NOW)).toMatchObject({ kind: 'once' });
});

test('an event is a turn of the owner, or for the operator of a webhook user', () => {
  expect(checkSchedule(ME, { onTurnOf: 'me' }, NOW)).toEqual({ kind: 'event', userId: 'ann', isOwn: true });
  const asked = { onTurnOf: 'webhook:github' };
  expect(checkSchedule(OPERATOR, asked, NOW)).toEqual({ kind: 'event', userId: 'webhook:github', isOwn: false });
  expect(refusalOf(asked)).toMatchObject({ param: 'schedule.on_turn_of' });
  expect(refusalOf({ onTurnOf: 'bob' })).toMatchObject({ param: 'schedule.on_turn_of' });
});

test.each([
  [{}, 'schedule', 'exactly one of'],
  [{ cron: '0 8 * * *', everyMinutes: 5 }, 'schedule', 'exactly one of'],
  [{ cron: '0 8 * *', timeZone: 'UTC' }, 'schedule.cron', 'five fields'],
  [{ cron: '0 0 8 * * *', timeZone: 'UTC' }, 'schedule.cron', 'five fields'],
  [{ cron: '2026-12-24T18:00:00', timeZone: 'UTC' }, 'schedule.cron', 'five fields'],
  [{ cron: '@daily', timeZone: 'UTC' }, 'schedule.cron', 'five fields'],
  [{ cron: '99 8 * * *', timeZone: 'UTC' }, 'schedule.cron', "the minute can't be 99"],
  [{ cron: '*/0 8 * * *', timeZone: 'UTC' }, 'schedule.cron', 'not valid'],
  [{ cron: '0 9 30 2 *', timeZone: 'UTC' }, 'schedule.cron', 'no date matches'],
  [{ cron: '0 8 * * *' }, 'schedule.time_zone', 'missing'],
  [{ cron: '0 8 * * *', timeZone: '' }, 'schedule.time_zone', 'not a known'],
  [{ cron: '0 8 * * *', timeZone: '+02:00' }, 'schedule.time_zone', 'not a known'],
  [{ cron: '0 8 * * *', timeZone: 'Europe/Atlantis' }, 'schedule.time_zone', 'not a known'],
  [{ everyMinutes: 0 }, 'schedule.every_minutes', 'whole number'],
  [{ everyMinutes: 1.5 }, 'schedule.every_minutes', 'whole number'],
  [{ everyMinutes: 5, timeZone: 'UTC' }, 'schedule.time_zone', 'no time zone'],
  [{ at: '2026-11-16T11:00', timeZone: 'UTC' }, 'schedule.at', 'in the past'],
  [{ at: '2026-02-30T11:00', timeZone: 'UTC' }, 'schedule.at', 'local date and time'],
  [{ at: '2026-12-24T18:00Z', timeZone: 'UTC' }, 'schedule.at', 'local date and time'],
])('%j is refused with the field and the reason', (asked, param, reason) => {
  expect(refusalOf(asked)).toEqual({ param, message: expect.stringContaining(reason) });
});
