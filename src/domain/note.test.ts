import { expect, test } from 'vitest';
import { MAX_NOTE_BYTES, normalizePath, normalizeText } from './note.ts';

test.each([
  ['people/ann', 'people/ann'],
  [' /People//Ann Lee/ ', 'people/ann-lee'],
  ['Cafe\u0301/Menü', 'café/menü'],
  ["o'brien/a+b@c.d_e", "o'brien/a+b@c.d_e"],
  ['日本/東京', '日本/東京'],
])('the path %j is %j', (given, path) => {
  expect(normalizePath(given)).toBe(path);
  expect(normalizePath(path)).toBe(path);
});

test.each(['', ' / ', '..', 'a/../b', 'a/./b', 'a\\b', 'a\0b', 'a:b', '<a>', 'a/b/c/d/e/f/g/h/i', 'x'.repeat(201)])(
  'the path %j is refused',
  (given) => {
    expect(() => normalizePath(given)).toThrow(/^path (may|must) /);
  },
);

test('a text keeps its letters, and accents get one spelling', () => {
  expect(normalizeText(' Zoe\u0308 \n')).toBe(' Zoë \n');
  expect(normalizeText('half \ud83d')).toBe('half \ufffd');
});

test.each([' \n', 'a\0', 'é'.repeat(MAX_NOTE_BYTES / 2 + 1)])('a text that can not be kept is refused', (given) => {
  expect(() => normalizeText(given)).toThrow(/^text (may|must) /);
});
