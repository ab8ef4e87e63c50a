import { expect, test } from 'vitest';
import { toDraft, toSchedule } from './schedule-draft.ts';

test.each([
  [{ cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' }, 'days'],
  [{ cron: '5 17 * * *', time_zone: 'UTC' }, 'days'],
  [{ cron: '0 9 * * 5L', time_zone: 'UTC' }, 'cron'],
  [{ cron: '*/10 8-17 * * *', time_zone: 'UTC' }, 'cron'],
  [{ every_minutes: 90 }, 'interval'],
  [{ on_turn_of: 'webhook:github' }, 'event'],
  [{ at: '2026-12-24T18:00', time_zone: 'Asia/Tokyo' }, 'once'],
])('the form shows %j as %s and saves it unchanged', (schedule, kind) => {
  const draft = toDraft(schedule);
  expect(draft.kind).toBe(kind);
  expect(toSchedule(draft)).toEqual(schedule);
});

test('a new mission is due on weekdays, in the time zone of the browser', () => {
  expect(toSchedule(toDraft(undefined))).toEqual({
    cron: '0 8 * * 1-5',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
});
