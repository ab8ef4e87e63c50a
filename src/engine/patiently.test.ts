import { expect, test } from 'vitest';
import { patiently, untilFree } from './patiently.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

function patience() {
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

test('a statement that fails because the database is away is sent again', async () => {
  const { act, calls } = failing('57P03', '57P03');

  expect(await patiently(patience(), {}, act)).toBe('done');
  expect(calls()).toBe(3);
});

test('a replica that was declared dead announces itself before it sends again', async () => {
  const waiting = patience();

  expect(await patiently(waiting, {}, failing('RB001').act)).toBe('done');
  expect(waiting.announced()).toBe(1);
});

test('any other failure is passed on at once', async () => {
  const { act, calls } = failing('42601');

  await expect(patiently(patience(), {}, act)).rejects.toThrow('it failed');
  expect(calls()).toBe(1);
});

test('the waiting ends when its time is up, or when it is aborted', async () => {
  const always = async () => {
    throw failure('57P03');
  };
  await expect(patiently(patience(), { forMs: 100 }, always)).rejects.toThrow('it failed');
  await expect(patiently(patience(), { signal: AbortSignal.timeout(100) }, always)).rejects.toThrow(/abort/);
});

test('what is locked is tried again until it is free', async () => {
  const outcomes = ['busy', 'busy', 'written'];

  expect(await untilFree(undefined, async () => ({ outcome: outcomes.shift() ?? '' }))).toEqual({ outcome: 'written' });
});
