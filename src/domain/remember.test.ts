import { expect, test } from 'vitest';
import { remember } from './remember.ts';

const LONG_MS = 3_600_000;

test('concurrent and later readers share one load, until it is forgotten', async () => {
  let loads = 0;
  const number = remember(LONG_MS, async () => ++loads);

  expect(await Promise.all([number.read(), number.read()])).toEqual([1, 1]);
  expect(await number.read()).toBe(1);
  number.forget();
  expect(await number.read()).toBe(2);
});

test('after its time, it is loaded again', async () => {
  let loads = 0;
  const number = remember(0, async () => ++loads);

  expect(await number.read()).toBe(1);
  expect(await number.read()).toBe(2);
});

test('a failure is not remembered, and does not drop a newer value', async () => {
  const loads = [Promise.withResolvers<number>(), Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let next = 0;
  const number = remember(LONG_MS, () => loads[next++]?.promise ?? Promise.reject(new Error('no load is left')));

  const first = number.read();
  number.forget();
  const second = number.read();
  loads[1]?.resolve(2);
  loads[0]?.reject(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  expect(await second).toBe(2);
  expect(await number.read()).toBe(2);

  number.forget();
  loads[2]?.reject(new Error('lost again'));
  await expect(number.read()).rejects.toThrow('lost again');
  await expect(number.read()).rejects.toThrow('no load is left');
});
