import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hashSecret } from '#domain/secret-hash.ts';
import { lookUpTogether } from './look-up-together.ts';

const good = { hash: hashSecret('good'), name: 'the good one' };

/** A table with one row, and the size of each query that was made. */
function table() {
  const queries: number[] = [];
  const lookUp = lookUpTogether(async (hashes) => {
    queries.push(hashes.length);
    return hashes.some((hash) => hash.equals(good.hash)) ? [good] : [];
  });
  return { queries, lookUp };
}

test('concurrent callers each get their own answer', async () => {
  const { lookUp } = table();
  const answers = await Promise.all(['bad', 'good', 'worse', 'good'].map((token) => lookUp(hashSecret(token))));

  expect(answers).toEqual([undefined, good, undefined, good]);
});

test('a thousand concurrent lookups share a few queries of at most 500', async () => {
  const { queries, lookUp } = table();
  await Promise.all(Array.from({ length: 1000 }, (_, i) => lookUp(hashSecret(String(i)))));

  expect(queries).toEqual([1, 500, 499]);
});

test('there is a pause after each query, so that queries stay few', async () => {
  const { queries, lookUp } = table();
  const started = performance.now();
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 100; i++) {
    all.push(lookUp(hashSecret(String(i))));
    await sleep(1);
  }
  await Promise.all(all);

  expect(queries.length).toBeGreaterThan(1);
  expect(queries.length).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 9.5) + 1);
  expect(queries.reduce((sum, size) => sum + size, 0)).toBe(100);
});

test('a failed query fails the lookups that shared it, and no later ones', async () => {
  let fails = true;
  const lookUp = lookUpTogether(async () => {
    if (fails) throw new Error('away');
    return [good];
  });
  await expect(lookUp(good.hash)).rejects.toThrow('away');

  fails = false;
  expect(await lookUp(good.hash)).toEqual(good);
});
