import type { MissionSchedule } from '@reborn-agent/client/api';
import { expect, test } from 'vitest';
import { wordsOfSchedule } from './schedule-words.ts';

const zoned = (cron: string): MissionSchedule => ({ cron, time_zone: 'Europe/Oslo' });
const said = (schedule: MissionSchedule) =>
  wordsOfSchedule(schedule, 'the words of the service').replaceAll('\u202f', ' ');

test.each<[MissionSchedule, string]>([
  [zoned('0 8 * * 1-5'), 'at 8:00 AM, Monday to Friday (Europe/Oslo)'],
  [zoned('0 8 * * mon-fri'), 'at 8:00 AM, Monday to Friday (Europe/Oslo)'],
  [zoned('30 8,17 * * *'), 'at 8:30 AM and 5:30 PM, every day (Europe/Oslo)'],
  [zoned('0 9 * * 0,6'), 'at 9:00 AM, Sunday and Saturday (Europe/Oslo)'],
  [zoned('0 9 * * 7'), 'at 9:00 AM, Sunday (Europe/Oslo)'],
  [zoned('0 9 1,15 * *'), 'at 9:00 AM, on day 1 and 15 of the month (Europe/Oslo)'],
  [zoned('0 9 L * *'), 'at 9:00 AM, on the last day of the month (Europe/Oslo)'],
  [zoned('*/15 * * * *'), 'every 15 minutes (Europe/Oslo)'],
  [zoned('5 * * * *'), 'every hour at minute 05 (Europe/Oslo)'],
  [{ every_minutes: 1 }, 'every minute'],
  [{ every_minutes: 90 }, 'every 90 minutes'],
  [{ every_minutes: 60 }, 'every hour'],
  [{ every_minutes: 1440 }, 'every 24 hours'],
  [{ every_minutes: 2880 }, 'every 2 days'],
  [{ at: '2026-12-24T18:00', time_zone: 'Asia/Tokyo' }, 'once, on Dec 24, 2026, 6:00 PM (Asia/Tokyo)'],
  [{ on_turn_of: 'me' }, 'when a turn of yours has ended'],
  [{ on_turn_of: 'webhook:github' }, 'when a turn of webhook:github has ended'],
])('%j is %s', (schedule, words) => {
  expect(said(schedule)).toBe(words);
});

test.each([
  '0 8 * 6 *',
  '0 8 * * 5L',
  '0 8 * * 5#2',
  '0 8 1 * 1',
  '*/7 8 * * *',
  '0 */2 * * *',
  '0 8 1-5 * *',
  '0 8 * * 1-9',
])('a rare schedule has the words of the service: %s', (cron) => {
  expect(said(zoned(cron))).toBe('the words of the service');
});
