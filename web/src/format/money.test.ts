import { expect, test } from 'vitest';
import { formatCost } from './money.ts';

test.each([
  [null, 'price unknown'],
  [0, '$0.00'],
  ['0.004', '< $0.01'],
  ['0.01', '$0.01'],
  [12.345, '$12.35'],
])('%s dollars read as %s', (usd, words) => {
  expect(formatCost(usd)).toBe(words);
});
