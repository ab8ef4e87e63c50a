import { expect, test } from 'vitest';
import { findInLines, MOST_MATCHES } from './find-in-lines.ts';

test('words are found in every line, as they are typed and in any case', () => {
  expect(findInLines(['a.b A.B', 'axb', ''], 'a.b')).toEqual([
    { line: 0, start: 0, end: 3 },
    { line: 0, start: 4, end: 7 },
  ]);
  expect(findInLines(['a'], '')).toEqual([]);
});

test('a text with too many places has the first ones', () => {
  expect(findInLines(['a'.repeat(5000)], 'a')).toHaveLength(MOST_MATCHES);
});
