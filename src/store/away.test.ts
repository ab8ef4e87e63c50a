import { expect, test } from 'vitest';
import { isAway } from './away.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  '57P01',
  '57P03',
  '53300',
  '25006',
  '25P03',
  '57014',
  '40P01',
  '53100',
  '55P03',
  'RB001',
])('%s is temporary', (code) => {
  expect(isAway(failure(code))).toBe(true);
});

test.each([failure('23505'), failure('42601'), new Error('no such table'), 'a string'])(
  '%s is not temporary',
  (error) => {
    expect(isAway(error)).toBe(false);
  },
);

test.each([
  'Connection terminated unexpectedly',
  'timeout expired', // of a client that connects alone
  'timeout exceeded when trying to connect', // of a pool
])('without a code, the message tells: %s', (message) => {
  expect(isAway(new Error(message))).toBe(true);
});
