import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('the wait doubles with each failure, up to the longest one', () => {
  const waits = [1, 2, 3, 4, 5, 5000].map((failures) => backoff(failures, { first: 50, longest: 500 }));

  expect(waits).toEqual([50, 100, 200, 400, 500, 500]);
});

test('jitter only ever shortens a wait', () => {
  const waits = Array.from({ length: 200 }, () => backoff(2, { first: 50, longest: 500, jitter: 0.5 }));

  expect(Math.max(...waits)).toBeLessThanOrEqual(100);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
  expect(new Set(waits).size).toBeGreaterThan(100);
});
