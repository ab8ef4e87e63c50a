import { expect, test } from 'vitest';
import { cut, cutBytes } from './cut.ts';

test('a text that fits stays as it is', () => {
  expect(cut('four', 4)).toBe('four');
  expect(cutBytes('four', 4)).toEqual({ kept: 'four', note: '' });
});

test('a cut text has the wanted length, with an ellipsis at its end', () => {
  expect(cut('five!', 4)).toBe('fiv…');
  expect(cut('five!', 1)).toBe('…');
});

test('no character is cut in half', () => {
  expect(cut('a😀bc', 3)).toBe('a…');
  expect(cutBytes('a😀', 3)).toEqual({ kept: 'a', note: '\n[Cut here: 4 of 5 bytes are left out.]' });
});
