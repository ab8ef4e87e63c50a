import { expect, test } from 'vitest';
import { fuseRankings } from './rank-texts.ts';

const order = (...rankings: string[][]) => fuseRankings(rankings).map(({ key }) => key);

test('a note in both lists ranks before one that is first in a single list', () => {
  expect(order(['a', 'b'], ['c', 'b'])).toEqual(['b', 'a', 'c']);
});

test('a single list keeps its order, and the first list breaks ties', () => {
  expect(order(['c', 'a', 'b'], [])).toEqual(['c', 'a', 'b']);
  expect(order(['z'], ['a'])).toEqual(['z', 'a']);
});

test('a score is the sum of the reciprocal ranks', () => {
  expect(fuseRankings([['a'], ['b', 'a']])[0]).toEqual({ key: 'a', score: 1 / 61 + 1 / 62 });
});
