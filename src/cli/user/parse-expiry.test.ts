import { expect, test } from 'vitest';
import { parseExpiry } from './token.ts';

const now = new Date('2026-03-01T10:00:00Z');

test.each([
  ['12h', '2026-03-01T22:00:00.000Z'],
  ['30d', '2026-03-31T10:00:00.000Z'],
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(parseExpiry(text, now).toISOString()).toBe(time);
});

test.each(['', 'tomorrow', '30', '30m', '2030', '1/2/2030', '2030-13-01', '2030-01-31T12:00:00', '-1d'])(
  '%j is refused, with examples of valid times',
  (text) => {
    expect(() => parseExpiry(text, now)).toThrow('Write 12h');
  },
);

test.each(['0d', '2026-03-01', '2020-01-01T00:00:00Z'])('%s has passed', (text) => {
  expect(() => parseExpiry(text, now)).toThrow('has passed already');
});
