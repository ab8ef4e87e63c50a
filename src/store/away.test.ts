import { expect, test } from 'vitest';
import { isAway, isDuplicate, whileAway } from './away.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });
const never = new AbortController().signal;

test.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03'])('%s means that the database is away', (code) => {
  expect(isAway(failure(code))).toBe(true);
});

test.each([failure('23505'), failure('42601'), new Error('no such table'), 'a string'])('%s does not', (error) => {
  expect(isAway(error)).toBe(false);
});

test('a line that was cut is told by its words', () => {
  expect(isAway(new Error('Connection terminated unexpectedly'))).toBe(true);
});

test('a duplicate is told by its code', () => {
  expect([isDuplicate(failure('23505')), isDuplicate(failure('ECONNRESET'))]).toEqual([true, false]);
});

test('what fails because the database is away is tried again, and told how often it was', async () => {
  const result = await whileAway(never, async (tries) => {
    if (tries < 2) throw failure('57P03');
    return tries;
  });

  expect(result).toBe(2);
});

test('any other failure is passed on at once', async () => {
  let calls = 0;
  const act = async () => {
    calls++;
    throw failure('42601');
  };

  await expect(whileAway(never, act)).rejects.toThrow('it failed');
  expect(calls).toBe(1);
});
