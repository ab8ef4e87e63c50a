import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOverrideSearch } from './override-search.ts';

const words = { language: 'test', drop: ['forget', 'drop'], earlier: ['prior', 'all '], orders: ['rule', 'order'] };
const search = createOverrideSearch(words);

/** The same search as one regular expression, which is easy to read and too slow to use. */
function isOverride(text: string): boolean {
  const [verb, before, noun] = [words.drop, words.earlier, words.orders].map(
    (each) => `(?:${each.map((word) => String.raw`(?<![\p{L}\p{N}])${word}`).join('|')})`,
  );
  const gap = '[^.!?。！？]{0,40}?';
  const orders = [
    [verb, before, noun],
    [verb, noun, before],
    [before, noun, verb],
    [noun, before, verb],
  ];
  return orders.some((order) => new RegExp(order.join(gap), 'u').test(text));
}

test('the search finds the same as a regular expression with two gaps', () => {
  const part = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('forget', 'drop', 'prior', 'all ', 'rule', 'order') },
    { weight: 3, arbitrary: fc.constantFrom(' ', 'x', '. ', '。', '😀', ' some words between ', 'y'.repeat(19)) },
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const text = parts.join('');
      expect(search.test(text)).toBe(isOverride(text));
    }),
    { numRuns: 3_000 },
  );
});
