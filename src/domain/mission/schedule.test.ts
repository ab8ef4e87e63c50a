import { expect, test } from 'vitest';
import { describeSchedule } from './schedule.ts';

test.each([
  ['0 8 * * 1-5', 'at 08:00, Monday to Friday'],
  ['0 8 * * MON,THU', 'at 08:00, Monday and Thursday'],
  ['0,30 9,17 * * *', 'at 09:00, 09:30, 17:00 and 17:30, every day'],
  ['0 0 1 * *', 'at 00:00, on day 1 of the month'],
  ['0 0 L 1,7 *', 'at 00:00, on the last day of the month, in January and July'],
  ['0 9 13 * 5', 'at 09:00, on day 13 of the month or Friday'],
  ['0 9 * * 5L', 'at 09:00, the last Friday of the month'],
  ['0 9 * * 2#1', 'at 09:00, the 1st Tuesday of the month'],
  ['*/15 * * * *', 'every 15 minutes, every day'],
  ['* * * * *', 'every minute, every day'],
  ['5 * * * 0', 'every hour at minute 05, Sunday'],
  ['10 */6 * * *', 'at minute 10 of every 6th hour, every day'],
  ['*/10 9-17 * * 1-5', 'every 10 minutes, in the hours 9-17, Monday to Friday'],
  ['15 1-3 * JUN-AUG *', 'at minute 15 of the hours 1-3, every day, in June to August'],
])('%s is described as "%s"', (expression, words) => {
  expect(describeSchedule({ kind: 'cron', expression, timeZone: 'Europe/Oslo' })).toBe(`${words} (Europe/Oslo)`);
});

test('intervals and single times are described', () => {
  const every = (everyMinutes: number) => describeSchedule({ kind: 'interval', everyMinutes, anchor: '' });
  expect([1, 45, 60, 120, 1440, 2880].map(every)).toEqual([
    'every minute',
    'every 45 minutes',
    'every hour',
    'every 2 hours',
    'every 24 hours',
    'every 2 days',
  ]);
  expect(describeSchedule({ kind: 'once', at: '2026-12-24T18:00', timeZone: 'Europe/Oslo' })).toBe(
    'once, on 2026-12-24 at 18:00 (Europe/Oslo)',
  );
});
