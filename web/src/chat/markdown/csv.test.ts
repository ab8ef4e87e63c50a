import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test('cells with commas, quotes and line breaks are quoted', () => {
  expect(
    toCsv({
      headers: ['a', 'b'],
      rows: [
        ['1,5', 'say "x"'],
        ['two\nlines', ''],
      ],
    }),
  ).toBe('a,b\r\n"1,5","say ""x"""\r\n"two\nlines",');
});

test('a cell that a spreadsheet would run is text, and a number stays a number', () => {
  expect(toCsv({ headers: [], rows: [['=cmd()', '@x', '-1.5', '+2 %', '-a', '-1+cmd']] })).toBe(
    "'=cmd(),'@x,-1.5,+2 %,'-a,'-1+cmd",
  );
});
