import { i18n } from '@lingui/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeCron, describeSchedule } from './schedule-words.ts';

const english = () => i18n.loadAndActivate({ locale: 'en', locales: ['en-GB', 'en'], messages: {} });
beforeEach(english);
afterEach(english);

test.each([
  ['0 8 * * 1-5', 'At 08:00, Monday to Friday'],
  ['0 8 * * MON,THU', 'At 08:00, Monday and Thursday'],
  ['0,30 9,17 * * *', 'At 09:00, 09:30, 17:00 and 17:30, every day'],
  ['0 0 1 * *', 'At 00:00, on day 1 of the month'],
  ['0 0 L 1,7 *', 'At 00:00, on the last day of the month, in January and July'],
  ['0 9 13 * 5', 'At 09:00, on day 13 of the month or on Friday'],
  ['*/15 * * * *', 'Every 15 minutes, every day'],
  ['* * * * *', 'Every minute, every day'],
  ['5 * * * 0', 'Every hour at minute 05, Sunday'],
  ['10 */6 * * *', 'Every 6 hours at minute 10, every day'],
  ['*/10 9-17 * * 1-5', 'Every 10 minutes from 09:00 to 17:59, Monday to Friday'],
  ['0 8 * JUN-AUG *', 'At 08:00, every day, in June to August'],
  ['0 9 * * 5L', 'cron 0 9 * * 5L'],
  ['0 9 * * 2#1', 'cron 0 9 * * 2#1'],
  ['15 1-3 * * *', 'cron 15 1-3 * * *'],
])('%s is described as "%s"', (expression, words) => {
  expect(describeCron(expression)).toBe(words);
});

test('a schedule has its time zone; days and months are named in the language that is shown', () => {
  const schedule = { cron: '0 8 * 3 1', time_zone: 'Europe/Oslo' };
  expect(describeSchedule(schedule)).toBe('At 08:00, Monday, in March (Europe/Oslo)');
  i18n.loadAndActivate({ locale: 'de', messages: {} });
  expect(describeSchedule(schedule)).toBe('At 08:00, Montag, in März (Europe/Oslo)');
});

test('intervals, single times and events are described', () => {
  const every = [1, 45, 60, 120, 1440, 2880].map((minutes) => describeSchedule({ every_minutes: minutes }));
  expect(every).toEqual([
    'Every minute',
    'Every 45 minutes',
    'Every hour',
    'Every 2 hours',
    'Every 24 hours',
    'Every 2 days',
  ]);
  expect(describeSchedule({ at: '2026-12-24T18:00', time_zone: 'Europe/Oslo' })).toBe(
    'Once, on Thu, 24 Dec, 18:00 (Europe/Oslo)',
  );
  expect(describeSchedule({ on_turn_of: 'webhook:github' })).toBe('When a turn of webhook:github has ended');
});
