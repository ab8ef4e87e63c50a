import { expect, test } from 'vitest';
import { readCsv } from './read-csv.ts';

test.each([
  ['a,b\n1,2\n', [['1', '2']]],
  ['\uFEFFa;b\r\n1,5;2\r\n', [['1,5', '2']]],
  [
    'a\tb\n1\t\n\t2',
    [
      ['1', ''],
      ['', '2'],
    ],
  ],
  ['a,b\n"one, ""two""\nthree",4', [['one, "two"\nthree', '4']]],
  ['a,b\n1,', [['1', '']]],
  [
    'a,b\n"not closed,2\n3,4',
    [
      ['"not closed', '2'],
      ['3', '4'],
    ],
  ],
  ['a,b\n\n1,2', [[''], ['1', '2']]],
])('%j is a table', (text, rows) => {
  expect(readCsv(text, 10)).toEqual({ head: ['a', 'b'], rows, isCut: false });
});

test('only the first rows are read', () => {
  const text = `n\n${Array.from({ length: 50 }, (_, row) => row).join('\n')}\n`;
  expect(readCsv(text, 3)).toEqual({ head: ['n'], rows: [['0'], ['1'], ['2']], isCut: true });
  expect(readCsv(text, 50).isCut).toBe(false);
  expect(readCsv('', 3)).toEqual({ head: [], rows: [], isCut: false });
});
