import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Verdict } from '../authenticate.ts';
import { type DatedVerdict, rememberVerdicts } from './remember-verdicts.ts';

const KNOWN: Verdict = { outcome: 'known', principal: { userId: 'ann', role: 'member' } };
const UNKNOWN: Verdict = { outcome: 'unknown' };

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

function remembering(recognise: (token: string) => DatedVerdict | Promise<DatedVerdict>) {
  const asked: string[] = [];
  const verdicts = rememberVerdicts(async (token) => {
    asked.push(token);
    return recognise(token);
  });
  return { asked, forget: () => verdicts.forget(), find: (token: string) => verdicts.find(token, hashSecret(token)) };
}

test.each([KNOWN, UNKNOWN])('a verdict is cached for 3 s and then looked up again: $outcome', async (verdict) => {
  const { asked, find } = remembering(() => ({ verdict }));

  expect(await find('a')).toEqual(verdict);
  vi.advanceTimersByTime(2999);
  await find('a');
  expect(asked).toEqual(['a']);
  vi.advanceTimersByTime(1);
  await find('a');
  expect(asked).toEqual(['a', 'a']);
});

test('the duration of the lookup counts: a verdict is never older than 3 s', async () => {
  const { asked, find } = remembering(() => {
    vi.advanceTimersByTime(2000);
    return { verdict: KNOWN };
  });
  await find('a');
  vi.advanceTimersByTime(1000);
  await find('a');

  expect(asked).toHaveLength(2);
});

test('a token that expires sooner is looked up again then', async () => {
  const { asked, find } = remembering(() => ({ verdict: KNOWN, validUntil: new Date(Date.now() + 500) }));
  await find('a');
  vi.advanceTimersByTime(500);
  await find('a');

  expect(asked).toHaveLength(2);
});

test('concurrent requests with one token share a lookup, also when it fails', async () => {
  const lookup = Promise.withResolvers<DatedVerdict>();
  const { asked, find } = remembering(() => lookup.promise);
  const all = Promise.allSettled([find('a'), find('a'), find('a')]);
  lookup.reject(new Error('away'));

  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(asked).toEqual(['a']);
  await expect(find('a')).rejects.toThrow('away');
  expect(asked).toEqual(['a', 'a']);
});

test('any number of bad tokens neither evicts a good one nor fills the memory', async () => {
  const { asked, find } = remembering((token) => ({ verdict: token === 'good' ? KNOWN : UNKNOWN }));
  await find('good');
  for (let i = 0; i < 10_050; i++) await find(`bad ${i}`);
  asked.length = 0;
  await find('good');
  await find('bad 10049');
  expect(asked).toEqual([]);

  await find('bad 0');
  expect(asked).toEqual(['bad 0']);
});

test('a failed lookup is not cached', async () => {
  const { asked, find } = remembering(() => ({ verdict: { outcome: 'provider-away' } }));
  await find('a');
  await find('a');

  expect(asked).toHaveLength(2);
});

test('after access is revoked here, the token is looked up at once', async () => {
  const { asked, find, forget } = remembering(() => ({ verdict: KNOWN }));
  await find('a');
  forget();
  await find('a');

  expect(asked).toHaveLength(2);
});

test('a lookup started before a revocation is not cached', async () => {
  const lookup = Promise.withResolvers<DatedVerdict>();
  const { asked, find, forget } = remembering(() => lookup.promise);
  const early = find('a');
  forget();
  const late = find('a');
  lookup.resolve({ verdict: KNOWN });
  await Promise.all([early, late]);

  expect(asked).toEqual(['a', 'a']);
});
