import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMultiSearch, toSymbols } from './multi-search.ts';

const letters = (most: number, least = 0) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), minLength: least, maxLength: most });

test('every match of every pattern is found, including overlapping ones', () => {
  fc.assert(
    fc.property(fc.uniqueArray(letters(4, 1), { maxLength: 6 }), letters(40), (patterns, text) => {
      const found: string[] = [];
      createMultiSearch(patterns.map(toSymbols)).scan(toSymbols(text), (index, end) => {
        found.push(`${patterns[index]} ${end}`);
        return true;
      });
      const expected = patterns.flatMap((pattern) =>
        Array.from(text, (_, at) => at).flatMap((at) =>
          text.startsWith(pattern, at) ? [`${pattern} ${at + pattern.length}`] : [],
        ),
      );
      expect(found.toSorted()).toEqual(expected.toSorted());
    }),
  );
});

test('a scan stops when the callback returns false', () => {
  const ends: number[] = [];
  createMultiSearch([toSymbols('a')]).scan(toSymbols('aaaa'), (_, end) => ends.push(end) < 2);
  expect(ends).toEqual([1, 2]);
});
