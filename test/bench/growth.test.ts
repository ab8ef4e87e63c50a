import { expect, test } from 'vitest';
import { extrapolate } from '../../bench/growth/extrapolate.ts';
import { measureInTurns } from '../../bench/growth/rounds.ts';

test('a figure that depends on the depth of an index is extrapolated by the logarithm, and one of a whole table by its size', () => {
  const deeper = [1e6, 1e7].map((items, index) => ({ items, value: 10 + index }));
  expect(extrapolate(deeper, 'depth', 1e8)).toBeCloseTo(12);
  expect(extrapolate([{ items: 0, value: 99 }, ...deeper], 'depth', 1e8)).toBeCloseTo(12); // an empty table has no logarithm

  const larger = [0, 1e6, 1e7].map((items) => ({ items, value: 2 + items / 1e6 }));
  expect(extrapolate(larger, 'size', 1e8)).toBeCloseTo(102);
});

test('one measured size extrapolates to itself', () => {
  expect(extrapolate([{ items: 1e6, value: 7 }], 'size', 1e8)).toBe(7);
});

test('databases are measured call by call, and none always goes first', async () => {
  const calls: string[] = [];
  const acts = ['a', 'b', 'c'].map((name) => async () => void calls.push(name));
  const times = await measureInTurns(acts, 3);
  expect(calls.join('')).toBe('abcbcacab');
  expect(times).toHaveLength(3);
});
