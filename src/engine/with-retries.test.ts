import { expect, test } from 'vitest';
import { retryWhileBusy, withRetries } from './with-retries.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

function retryPolicy() {
  let announced = 0;
  return {
    isAway: (error: unknown) => error instanceof Error && 'code' in error && error.code === '57P03',
    onDeclaredDead: async () => void announced++,
    announced: () => announced,
  };
}

/** Fails with each of the codes in turn, then succeeds. */
function failing(...codes: string[]) {
  let calls = 0;
  const act = async () => {
    const code = codes[calls++];
    if (code) throw failure(code);
    return 'done';
  };
  return { act, calls: () => calls };
}

test('a statement that fails because the database is unavailable is retried', async () => {
  const { act, calls } = failing('57P03', '57P03');

  expect(await withRetries(retryPolicy(), {}, act)).toBe('done');
  expect(calls()).toBe(3);
});

test('a replica that was declared dead registers again before it retries', async () => {
  const waiting = retryPolicy();

  expect(await withRetries(waiting, {}, failing('RB001').act)).toBe('done');
  expect(waiting.announced()).toBe(1);
});

test('a replica that can not register again yet retries all the same', async () => {
  const { act, calls } = failing('RB001', 'RB001');
  const onDeclaredDead = failing('57P03').act as unknown as () => Promise<void>;

  expect(await withRetries({ ...retryPolicy(), onDeclaredDead }, {}, act)).toBe('done');
  expect(calls()).toBe(3);
});

test('any other failure is passed on at once', async () => {
  const { act, calls } = failing('42601');

  await expect(withRetries(retryPolicy(), {}, act)).rejects.toThrow('it failed');
  expect(calls()).toBe(1);
});

test('retrying stops when the time is up or the signal aborts', async () => {
  const always = async () => {
    throw failure('57P03');
  };
  await expect(withRetries(retryPolicy(), { forMs: 100 }, always)).rejects.toThrow('it failed');
  await expect(withRetries(retryPolicy(), { signal: AbortSignal.timeout(100) }, always)).rejects.toThrow(/abort/);
});

test('a locked row is retried until it is free', async () => {
  const outcomes = ['busy', 'busy', 'written'];

  expect(await retryWhileBusy({}, async () => ({ outcome: outcomes.shift() ?? '' }))).toEqual({
    outcome: 'written',
  });
});

test('a row that stays locked ends as a lock timeout', async () => {
  await expect(retryWhileBusy({ forMs: 5 }, async () => ({ outcome: 'busy' }))).rejects.toMatchObject({
    code: '55P03',
  });
});
