import { expect, test, vi } from 'vitest';
import { OPERATOR } from '#domain/principal.ts';
import { type AuthenticateOptions, createAuthenticate, type Verdict } from './authenticate.ts';

const ANN: Verdict = { outcome: 'known', principal: { userId: 'ann', role: 'member' } };
const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });

const authenticateWith = (more: Partial<AuthenticateOptions> = {}) =>
  createAuthenticate({
    operatorTokens: ['first', 'second'],
    isReachable: async () => true,
    recognise: async (token) => (token === 'of ann' ? ANN : { outcome: 'unknown' }),
    isAway: (error) => error === away,
    ...more,
  });

test.each(['first', 'second'])('each operator token authenticates the operator: %s', async (token) => {
  expect(await authenticateWith()(token)).toEqual({ outcome: 'known', principal: OPERATOR });
});

test.each(['', 'third', 'firs', 'first ', 'First', 'firstsecond'])('%j is refused', async (token) => {
  expect(await authenticateWith()(token)).toEqual({ outcome: 'unknown' });
});

test('without operator tokens no token authenticates the operator', async () => {
  expect(await authenticateWith({ operatorTokens: [] })('')).toEqual({ outcome: 'unknown' });
});

test('any other token is looked up; operator tokens never are', async () => {
  const recognise = vi.fn(async () => ANN);
  const authenticate = authenticateWith({ recognise });

  await authenticate('first');
  expect(recognise).not.toHaveBeenCalled();
  expect(await authenticate('of ann')).toEqual(ANN);
});

test.each(['first', 'third', 'of ann'])('while the database is unavailable, so is the verdict on %j', async (token) => {
  expect(await authenticateWith({ isReachable: async () => false })(token)).toEqual({ outcome: 'database-away' });
});

test('a database failure during the lookup is reported as such; any other error is thrown', async () => {
  const failing = (error: Error) =>
    authenticateWith({
      recognise: async () => {
        throw error;
      },
    });

  expect(await failing(away)('x')).toEqual({ outcome: 'database-away' });
  await expect(failing(new Error('a bug'))('x')).rejects.toThrow('a bug');
});
