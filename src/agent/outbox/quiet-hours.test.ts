import { expect, test } from 'vitest';
import { parseRetryAfter } from './post-signed.ts';
import { findQuietEnd } from './quiet-hours.ts';

const night = { from: '22:00', until: '07:00', timeZone: 'Europe/Oslo' };

test.for([
  ['2026-11-16T20:59:00Z', undefined],
  ['2026-11-16T21:00:00Z', '2026-11-17T06:00:00.000Z'],
  ['2026-11-17T00:30:00Z', '2026-11-17T06:00:00.000Z'],
  ['2026-11-17T06:00:00Z', undefined],
  ['2026-03-28T23:30:00Z', '2026-03-29T05:00:00.000Z'], // clocks go forward in that night
] as const)('quiet hours over midnight: at %s they end at %s', ([now, end]) => {
  expect(findQuietEnd(night, new Date(now))?.toISOString()).toBe(end);
});

test('quiet hours within a day end on the same day', () => {
  const noon = { from: '12:00', until: '13:30', timeZone: 'UTC' };

  expect(findQuietEnd(noon, new Date('2026-11-16T12:00:00Z'))?.toISOString()).toBe('2026-11-16T13:30:00.000Z');
  expect(findQuietEnd(noon, new Date('2026-11-16T13:30:00Z'))).toBeUndefined();
});

test('Retry-After is a number of seconds or a date, and anything else is ignored', () => {
  const now = Date.parse('2026-11-16T12:00:00Z');

  expect(parseRetryAfter('120', now)).toBe(120);
  expect(parseRetryAfter('Mon, 16 Nov 2026 12:02:00 GMT', now)).toBe(120);
  expect(parseRetryAfter('Mon, 16 Nov 2026 11:00:00 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});
