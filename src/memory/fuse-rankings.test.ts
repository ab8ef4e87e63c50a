import { expect, test } from 'vitest';
import { fuseRankings } from './search-notes.ts';

const order = (...rankings: string[][]) => fuseRankings(rankings).map(({ path }) => path);

test('a note that both lists know comes before one that a single list puts first', () => {
  expect(order(['a', 'b'], ['c', 'b'])).toEqual(['b', 'a', 'c']);
});

test('one list alone keeps its order, and among equals the first list decides', () => {
  expect(order(['c', 'a', 'b'], [])).toEqual(['c', 'a', 'b']);
  expect(order(['z'], ['a'])).toEqual(['z', 'a']);
});

test('a score is the sum of the reciprocal ranks', () => {
  expect(fuseRankings([['a'], ['b', 'a']])[0]).toEqual({ path: 'a', score: 1 / 61 + 1 / 62 });
});
