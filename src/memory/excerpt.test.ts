import { expect, test } from 'vitest';
import { excerptOf } from './excerpt.ts';

const filler = 'lorem ipsum '.repeat(400);

test('a short text is shown whole', () => {
  expect(excerptOf('Ann keeps bees.', 'bees')).toBe('Ann keeps bees.');
});

test('of a long text the part is shown where a word of the question stands', () => {
  const excerpt = excerptOf(`${filler}Ann keeps BEES. ${filler}`, 'who has bees?');

  expect(excerpt).toContain('Ann keeps BEES.');
  expect(excerpt).toMatch(/^… .* …$/);
  expect(excerpt.length).toBeLessThan(1010);
});

test.each(['', 'nothing of it', 'a'])('without a hit it is the beginning, for the question %j', (question) => {
  expect(excerptOf(`Start ${filler}`, question)).toMatch(/^Start lorem .* …$/);
});

test('the end of a text is shown without a mark behind it, and no character is torn', () => {
  expect(excerptOf(`${filler}bees`, 'bees')).toMatch(/^… .* bees$/);
  expect(excerptOf('😀'.repeat(2000), 'x').isWellFormed()).toBe(true);
});
