import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStreamRedactor } from './stream-redactor.ts';

const SECRET = 'abcabd-secret';

const sayAll = (pieces: readonly string[], values = new Map([['key', SECRET]])) => {
  const redactor = createStreamRedactor(values);
  return [...pieces.map((piece) => redactor.push(piece)), redactor.end()];
};

test('a secret is removed for every split into pieces', () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 });
  const around = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '-', 's', ' '), { maxLength: 10 });
  fc.assert(
    fc.property(around, around, cuts, (before, after, at) => {
      const text = `${before.join('')}${SECRET}${after.join('')}`;
      const points = [0, ...at.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = points.slice(1).map((end, index) => text.slice(points[index], end));
      expect(sayAll(pieces).join('')).toBe(text.replaceAll(SECRET, '[redacted:key]'));
    }),
  );
});

test('text that only starts like a secret is released in the end', () => {
  expect(sayAll(['abcab', 'e'])).toEqual(['', 'abcabe', '']);
  expect(sayAll(['abcabd-secre'])).toEqual(['', 'abcabd-secre']);
});

test("text that can't start a secret is not held back", () => {
  expect(sayAll(['hello ', 'world'])).toEqual(['hello ', 'world', '']);
});

test('short values are not redacted', () => {
  expect(sayAll(['abc'], new Map([['key', 'abc']])).join('')).toBe('abc');
});

test('values that overlap get one mark, also when they never end', () => {
  const values = new Map([
    ['short', 'abcdef'],
    ['long', 'abcdefghij'],
    ['row', 'zzzzzz'],
  ]);
  expect(sayAll(['<abcdef', 'ghij>'], values).join('')).toBe('<[redacted:long]>');
  expect(sayAll(['<abcdef', 'gh>'], values).join('')).toBe('<[redacted:short]gh>');
  expect(sayAll(['<', ...Array.from({ length: 50 }, () => 'zzzz'), '>'], values).join('')).toBe('<[redacted:row]>');
});

test('a text that almost holds a long value is read in linear time', () => {
  const redactor = createStreamRedactor(new Map([['key', `${'a'.repeat(65_535)}b`]]));
  const began = process.cpuUsage();
  for (let piece = 0; piece < 10; piece++) redactor.push(`${'a'.repeat(65_530)}c`);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(1_000);
});
