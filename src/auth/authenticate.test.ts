import { expect, test } from 'vitest';
import { OPERATOR } from '#domain/principal.ts';
import { createAuthenticate } from './authenticate.ts';

const authenticate = createAuthenticate(['first', 'second']);

test.each(['first', 'second'])('each of the operator tokens means the operator: %s', async (token) => {
  expect(await authenticate(token)).toEqual(OPERATOR);
});

test.each(['', 'third', 'firs', 'first ', 'First', 'firstsecond'])('%j is nobody', async (token) => {
  expect(await authenticate(token)).toBeUndefined();
});

test('without tokens nobody gets in', async () => {
  expect(await createAuthenticate([])('')).toBeUndefined();
});
