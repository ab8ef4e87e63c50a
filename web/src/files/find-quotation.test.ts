import { expect, test } from 'vitest';
import { findQuotation } from './find-quotation.ts';

const PAGE =
  'The tenant pays:\nThe deposit – “2,700 euros” (in cash) – is due\n\nbefore the keys are handed over. It’s kept in a long-\nterm ac-\ncount.';

test.each([
  ['the same words', 'is due\n\nbefore', 'is due\n\nbefore'],
  [
    'other case and blanks',
    'THE DEPOSIT – “2,700 euros” (in cash) – is due before',
    'The deposit – “2,700 euros” (in cash) – is due\n\nbefore',
  ],
  [
    'other quotation marks and dashes',
    `The deposit - "2,700 euros" (in cash)`,
    'The deposit – “2,700 euros” (in cash)',
  ],
  ['a full stop that is not there', "It's kept", 'It’s kept'],
  ['a full stop at its end', 'The tenant pays: The deposit.', 'The tenant pays:\nThe deposit'],
  [
    'words left out',
    'The deposit … handed over',
    'The deposit – “2,700 euros” (in cash) – is due\n\nbefore the keys are handed over',
  ],
  ['words that a line breaks', 'a long-term account', 'a long-\nterm ac-\ncount'],
  ['words in bold', '**The deposit** – “2,700', 'The deposit – “2,700'],
])('the place of a quotation is found: %s', (_which, quotation, words) => {
  const found = findQuotation(PAGE, quotation);
  expect(PAGE.slice(found?.start, found?.end)).toBe(words);
});

test.each(['The deposit – “2,800 euros”', '', '…', '(in cash', '[in'])('there is none of %j', (quotation) => {
  const found = findQuotation('The deposit', quotation);
  expect(found).toBeUndefined();
});

test('many parts that are not there are searched for in no time', () => {
  const before = performance.now();
  expect(findQuotation('a '.repeat(10_000), `${'a … '.repeat(70)}b`)).toBeUndefined();
  expect(performance.now() - before).toBeLessThan(1000);
});
