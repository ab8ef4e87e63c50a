import { expect, test } from 'vitest';
import { typeInto } from './typed-line.ts';

test('the lines of a paste stay apart on the one line', () => {
  expect(typeInto('Because ', '\x1b[200~it is late.\r\nTry\tagain\n\x1b[201~')).toBe('Because it is late. Try again ');
});

test('keys without a letter type nothing', () => {
  expect(['\x1b[A', '\t', '\x00', '\x07', '\x1b[200~\x1b[201~'].reduce((line, key) => typeInto(line, key), 'yes')).toBe(
    'yes',
  );
});

test('a secret that was copied in two lines is one word', () => {
  expect(typeInto('', '\x1b[200~sk-abc\ndef\n\x1b[201~', '')).toBe('sk-abcdef');
});
