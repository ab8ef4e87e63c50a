import { expect, test } from 'vitest';
import { formatAgo, formatDay, formatDuration, formatTime } from './time.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['2026-03-01T11:59:40Z', 'just now'],
  ['2026-03-01T11:57:00Z', '3 min. ago'],
  ['2026-03-01T09:00:00Z', '3 hr. ago'],
  ['2026-02-28T12:00:00Z', 'yesterday'],
])('%s was %s', (time, words) => {
  expect(formatAgo(time, NOW)).toBe(words);
});

test.each([
  [42, '42 ms'],
  [800, '0.8 s'],
  [125_000, '2 min 5 s'],
  [5_400_000, '1 h 30 min'],
])('%s ms read as %s', (milliseconds, words) => {
  expect(formatDuration(milliseconds)).toBe(words);
});

test.each([
  [new Date(2026, 2, 1, 0, 5), 'Today'],
  [new Date(2026, 1, 28, 23, 55), 'Yesterday'],
  [new Date(2026, 1, 22, 12), 'Sunday, February 22'],
  [new Date(2025, 11, 31, 12), 'Wednesday, December 31, 2025'],
])('%s is on the day %s', (time, words) => {
  expect(formatDay(time.toISOString(), new Date(2026, 2, 1, 12))).toBe(words);
});

test('the time of day is the one of the reader', () => {
  expect(formatTime(new Date(2026, 2, 1, 14, 32).toISOString())).toMatch(/^2:32\sPM$/);
});
