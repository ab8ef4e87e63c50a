import { expect, test } from 'vitest';
import { excerptOf } from './excerpt.ts';

const filler = 'lorem ipsum '.repeat(400);

test('a short text is shown in full', () => {
  expect(excerptOf('Ann keeps bees.', 'bees')).toBe('Ann keeps bees.');
});

test('the excerpt of a long text contains a word of the question', () => {
  const excerpt = excerptOf(`${filler}Ann keeps BEES. ${filler}`, 'who has bees?');

  expect(excerpt).toContain('Ann keeps BEES.');
  expect(excerpt).toMatch(/^… .* …$/);
  expect(excerpt.length).toBeLessThan(1010);
});

test.each(['', 'nothing of it', 'a'])(
  'without a match the excerpt is the start of the text, for the question %j',
  (question) => {
    expect(excerptOf(`Start ${filler}`, question)).toMatch(/^Start lorem .* …$/);
  },
);

test('an excerpt at the end of the text has no mark after it, and no character is split', () => {
  expect(excerptOf(`${filler}bees`, 'bees')).toMatch(/^… .* bees$/);
  expect(excerptOf('😀'.repeat(2000), 'x').isWellFormed()).toBe(true);
});
