import { expect, test } from 'vitest';
import { readTitle } from './title-text.ts';

test.each([
  ['A weekend in Oslo', 'A weekend in Oslo'],
  ['"A weekend in Oslo."\n\nI hope that helps!', 'A weekend in Oslo'],
  ['**Title: Ein Wochenende**', 'Ein Wochenende'],
  ['# Plan for May', 'Plan for May'],
  ['  spaces\t here ', 'spaces here'],
  ['\u202eevil\u0007', 'evil'],
])('%j becomes the title %j', (answer, title) => {
  expect(readTitle(answer)).toBe(title);
});

test('an empty answer makes no title, and a long one is cut', () => {
  expect(readTitle(' \n ')).toBeNull();
  expect(readTitle('""')).toBeNull();
  expect(readTitle('word '.repeat(100))?.length).toBeLessThanOrEqual(60);
});
