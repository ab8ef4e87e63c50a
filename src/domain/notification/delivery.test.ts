import { expect, test } from 'vitest';
import { type CarryResult, DELIVERY_PACE, type Delivery, judgeResult } from './delivery.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const event: Pick<Delivery, 'kind' | 'failures' | 'createdAt'> = {
  kind: 'event',
  failures: 0,
  createdAt: new Date(NOW),
};
const judge = (result: CarryResult, delivery: Partial<typeof event> = {}) =>
  judgeResult({ ...event, ...delivery }, result, DELIVERY_PACE, { now: NOW, random: 0.5 });
const failed: CarryResult = { outcome: 'failed', error: 'The receiver answered 500.' };

test('the waits after failures grow, and after the last one the delivery is dead', () => {
  const waits = Array.from({ length: 11 }, (_, failures) => judge(failed, { failures }));

  expect(waits.slice(0, 3).map(({ waitSeconds }) => waitSeconds)).toEqual([5, 30, 120]);
  expect(waits.slice(0, 10).every(({ state }) => state === 'pending')).toBe(true);
  expect(waits[10]).toMatchObject({ state: 'dead', countsAsFailure: true });
});

test('a wait differs by up to a tenth, so that receivers are not called by all at once', () => {
  const pace = (random: number) => judgeResult(event, failed, DELIVERY_PACE, { now: NOW, random }).waitSeconds;

  expect([pace(0), pace(1)]).toEqual([4.5, 5.5]);
});

test('a Retry-After that is longer than the wait is respected, up to a day', () => {
  expect(judge({ ...failed, retryAfterSeconds: 90 }).waitSeconds).toBe(90);
  expect(judge({ ...failed, retryAfterSeconds: 1 }).waitSeconds).toBe(5);
  expect(judge({ ...failed, retryAfterSeconds: 1e9 }).waitSeconds).toBe(86_400);
});

test('a limit pauses the account and counts as no failure, for three days at most', () => {
  const limited: CarryResult = { outcome: 'limited', error: 'The receiver answered 429.', retryAfterSeconds: 600 };

  expect(judge(limited, { failures: 10 })).toMatchObject({
    state: 'pending',
    countsAsFailure: false,
    pauseSeconds: 630,
  });
  expect(judge(limited, { createdAt: new Date(NOW - 4 * 24 * 3600 * 1000) }).state).toBe('dead');
});

test('an event that keeps failing lets the later ones of its target pass, and a callback has no others', () => {
  expect(judge(failed, { failures: 2 }).isRequeued).toBe(false);
  expect(judge(failed, { failures: 3 }).isRequeued).toBe(true);
  expect(judge(failed, { failures: 3, kind: 'callback' }).isRequeued).toBe(false);
});
