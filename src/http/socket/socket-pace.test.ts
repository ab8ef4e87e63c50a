import { expect, test } from 'vitest';
import { createSocketPace, type Pace } from './socket-pace.ts';

const idle = new AbortController().signal;

/** A pace whose time passes only by waiting for it. */
function createPace(pace: Pace) {
  let time = 5000;
  const clock = {
    now: () => time,
    wait: async (ms: number) => {
      time += ms;
    },
  };
  const take = createSocketPace(pace, clock);
  return {
    pass: clock.wait,
    /** When each of `count` messages is read that come one after the other. */
    async times(count: number, { bytes = 10, user = 'ann' } = {}): Promise<number[]> {
      const begun = time;
      const times: number[] = [];
      for (let i = 0; i < count; i++) {
        await take(user, bytes, idle);
        times.push(Math.round(time - begun));
      }
      return times;
    },
  };
}

test('a burst is read at once, and what follows at the pace', async () => {
  expect(await createPace({ burst: 3, perSecond: 10 }).times(6)).toEqual([0, 0, 0, 100, 200, 300]);
});

test('a large message counts as many', async () => {
  expect(await createPace({ burst: 4, perSecond: 10 }).times(3, { bytes: 3 * 64 * 1024 })).toEqual([0, 400, 800]);
});

test('users do not wait for each other, and a pause gives the burst back', async () => {
  const pace = createPace({ burst: 2, perSecond: 10 });
  expect(await pace.times(3)).toEqual([0, 0, 100]);
  expect(await pace.times(1, { user: 'bob' })).toEqual([0]);
  await pace.pass(1000);
  expect(await pace.times(3)).toEqual([0, 0, 100]);
});

test('a socket that closes does not wait', async () => {
  const take = createSocketPace({ burst: 1, perSecond: 0.001 });
  const closed = new AbortController();
  await take('ann', 10, idle);
  const waiting = take('ann', 10, closed.signal);
  closed.abort();
  await expect(waiting).resolves.toBeUndefined();
});
