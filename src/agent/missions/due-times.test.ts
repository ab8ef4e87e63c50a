import { describe, expect, test } from 'vitest';
import type { Schedule } from '#domain/mission/schedule.ts';
import { nextSlot, nextSlots } from './due-times.ts';
import { toLocal } from './local-time.ts';

const cron = (expression: string, timeZone: string): Schedule => ({ kind: 'cron', expression, timeZone });

/** The due times of the given UTC days, as local times. */
function dueOn(schedule: Schedule, from: string, until: string): string[] {
  const zone = 'timeZone' in schedule ? schedule.timeZone : 'UTC';
  const slots: string[] = [];
  let slot = nextSlot(schedule, new Date(Date.parse(from) - 1));
  for (; slot && slot < new Date(until); slot = nextSlot(schedule, slot)) slots.push(formatLocal(slot, zone));
  return slots;
}

describe('a schedule that names hours follows the clock on the wall', () => {
  test.each([
    // zone, expression, first instant, last instant, expected
    [
      'Oslo, a time in the gap moves to the first instant after it',
      'Europe/Oslo',
      '30 2 * * *',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
      ['Sun 2026-03-29 03:00 UTC+2'],
    ],
    [
      'Oslo, several times in the gap are one run',
      'Europe/Oslo',
      '0,30 2 * * *',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
      ['Sun 2026-03-29 03:00 UTC+2'],
    ],
    [
      'Oslo, a moved run coincides with a regular one',
      'Europe/Oslo',
      '0 2,3 * * *',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
      ['Sun 2026-03-29 03:00 UTC+2'],
    ],
    [
      'Oslo, a time that occurs twice runs at the first',
      'Europe/Oslo',
      '30 2 * * *',
      '2026-10-24T22:00Z',
      '2026-10-25T23:00Z',
      ['Sun 2026-10-25 02:30 UTC+2'],
    ],
    [
      'Oslo, a range in the overlap runs once',
      'Europe/Oslo',
      '15 1-3 * * *',
      '2026-10-24T22:00Z',
      '2026-10-25T23:00Z',
      ['Sun 2026-10-25 01:15 UTC+2', 'Sun 2026-10-25 02:15 UTC+2', 'Sun 2026-10-25 03:15 UTC+1'],
    ],
    [
      'New York, gap',
      'America/New_York',
      '30 2 * * *',
      '2026-03-08T05:00Z',
      '2026-03-09T04:00Z',
      ['Sun 2026-03-08 03:00 UTC-4'],
    ],
    [
      'New York, overlap',
      'America/New_York',
      '30 1 * * *',
      '2026-11-01T04:00Z',
      '2026-11-02T05:00Z',
      ['Sun 2026-11-01 01:30 UTC-4'],
    ],
    [
      'Lord Howe, a gap of half an hour',
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T13:30Z',
      '2026-10-04T13:00Z',
      ['Sun 2026-10-04 02:30 UTC+11'],
    ],
    [
      'Lord Howe, an overlap of half an hour',
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T13:00Z',
      '2026-04-05T13:30Z',
      ['Sun 2026-04-05 01:45 UTC+11'],
    ],
    [
      'Santiago, midnight is in the gap',
      'America/Santiago',
      '0 0 * * *',
      '2026-09-05T05:00Z',
      '2026-09-07T03:00Z',
      ['Sun 2026-09-06 01:00 UTC-3'],
    ],
    [
      'Havana, midnight occurs twice',
      'America/Havana',
      '0 0 * * *',
      '2026-11-01T04:00Z',
      '2026-11-02T05:00Z',
      ['Sun 2026-11-01 00:00 UTC-4'],
    ],
    [
      'Casablanca, after Ramadan',
      'Africa/Casablanca',
      '30 2 * * *',
      '2026-03-22T00:00Z',
      '2026-03-22T23:00Z',
      ['Sun 2026-03-22 03:00 UTC+1'],
    ],
    [
      'Kathmandu, no clock change',
      'Asia/Kathmandu',
      '0 8 * * *',
      '2026-03-28T20:00Z',
      '2026-03-29T18:00Z',
      ['Sun 2026-03-29 08:00 UTC+5:45'],
    ],
    [
      'Apia, a date that does not exist is skipped',
      'Pacific/Apia',
      '0 9 * * *',
      '2011-12-29T10:00Z',
      '2011-12-31T10:00Z',
      ['Thu 2011-12-29 09:00 UTC-10', 'Sat 2011-12-31 09:00 UTC+14'],
    ],
  ])('%s', (_, zone, expression, from, until, expected) => {
    expect(dueOn(cron(expression, zone), from, until)).toEqual(expected);
  });
});

describe('a schedule for every hour or every few hours follows elapsed time', () => {
  test.each([
    ['Oslo, hourly in the gap', 'Europe/Oslo', '0 * * * *', '2026-03-29T00:00Z', '2026-03-29T03:00Z', 3],
    ['Oslo, hourly in the overlap', 'Europe/Oslo', '0 * * * *', '2026-10-25T00:00Z', '2026-10-25T03:00Z', 3],
    [
      'Lord Howe, every ten minutes in the gap',
      'Australia/Lord_Howe',
      '*/10 * * * *',
      '2026-10-03T15:00Z',
      '2026-10-03T16:00Z',
      6,
    ],
    [
      'Lord Howe, every ten minutes in the overlap',
      'Australia/Lord_Howe',
      '*/10 * * * *',
      '2026-04-04T14:00Z',
      '2026-04-04T16:00Z',
      12,
    ],
    [
      'New York, every hour with a step in the overlap',
      'America/New_York',
      '30 */1 * * *',
      '2026-11-01T05:00Z',
      '2026-11-01T07:00Z',
      2,
    ],
  ])('%s', (_, zone, expression, from, until, count) => {
    expect(dueOn(cron(expression, zone), from, until)).toHaveLength(count);
  });
});

/** Reads the clock every five minutes, which is slow and simple. */
function everyMatch(zone: string, from: number, until: number, matches: (local: Date) => boolean): number[] {
  const found: number[] = [];
  for (let at = from; at < until; at += 5 * 60_000) if (matches(new Date(toLocal(at, zone)))) found.push(at);
  return found;
}

test.each(['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'America/Havana'])(
  'elapsed schedules in %s have every matching instant, and clock schedules every local time once, around each clock change of 2026',
  (zone) => {
    const changes = [];
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 86_400_000)
      if (toLocal(at, zone) - at !== toLocal(at + 86_400_000, zone) - at - 86_400_000) changes.push(at);
    expect(changes).toHaveLength(2);
    for (const start of changes) {
      const end = start + 2 * 86_400_000;
      const slots = (expression: string) =>
        nextSlots(cron(expression, zone), new Date(start - 1), 200)
          .map((slot) => slot.getTime())
          .filter((slot) => slot < end);
      expect(slots('*/20 * * * *')).toEqual(everyMatch(zone, start, end, (local) => local.getUTCMinutes() % 20 === 0));
      expect(slots('5 */2 * * *')).toEqual(
        everyMatch(zone, start, end, (local) => local.getUTCMinutes() === 5 && local.getUTCHours() % 2 === 0),
      );
      const byClock = slots('0,15,30,45 0-23 * * *').map((slot) => toLocal(slot, zone));
      expect(byClock).toEqual([...new Set(byClock)].toSorted((a, b) => a - b));
    }
  },
);

test('the next time is always later than the one before, and never depends on when a run ended', () => {
  const hourly: Schedule = { kind: 'interval', everyMinutes: 60, anchor: '2026-01-01T00:10:00.000Z' };
  expect(nextSlot(hourly, new Date('2026-01-01T00:10:00Z'))).toEqual(new Date('2026-01-01T01:10:00Z'));
  expect(nextSlot(hourly, new Date('2026-01-01T03:59:59Z'))).toEqual(new Date('2026-01-01T04:10:00Z'));
  expect(nextSlot(hourly, new Date('2025-12-31T00:00:00Z'))).toEqual(new Date('2026-01-01T00:10:00Z'));
});

test('a single time is due once, also when clocks show it twice or never', () => {
  const once = (at: string): Schedule => ({ kind: 'once', at, timeZone: 'Europe/Oslo' });
  const start = new Date('2026-01-01T00:00:00Z');
  expect(nextSlots(once('2026-10-25T02:30'), start, 5)).toEqual([new Date('2026-10-25T00:30:00Z')]);
  expect(nextSlots(once('2026-03-29T02:30'), start, 5)).toEqual([new Date('2026-03-29T01:00:00Z')]);
  expect(nextSlot(once('2025-03-29T02:30'), start)).toBeNull();
});

/** Such as "Mon 2026-11-16 08:00 UTC+1". */
function formatLocal(instant: Date, timeZone: string): string {
  const local = new Date(toLocal(instant.getTime(), timeZone));
  const offset = (local.getTime() - instant.getTime()) / 60_000;
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][local.getUTCDay()];
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const shown =
    offset === 0 ? '' : `${offset < 0 ? '-' : '+'}${hours}${minutes ? `:${String(minutes).padStart(2, '0')}` : ''}`;
  return `${day} ${local.toISOString().slice(0, 16).replace('T', ' ')} UTC${shown}`;
}
