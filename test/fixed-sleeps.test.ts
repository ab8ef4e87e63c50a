import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFixedSleeps } from './fixed-sleeps.ts';

const sleepsOf = (text: string, path = 'test/a.test.ts') => findFixedSleeps([{ path, text }]);

describe('a fixed sleep is found', () => {
  test.each([
    ['of the timers', "import { setTimeout as sleep } from 'node:timers/promises'; await sleep(500);"],
    ['of the scheduler', "import { scheduler } from 'node:timers/promises'; await scheduler.wait(500);"],
    ['in a promise', 'await new Promise((resolve) => setTimeout(resolve, 500));'],
    ['of a page', 'await page.waitForTimeout(500);'],
    ['of a thread', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);'],
  ])('%s', (_, text) => {
    expect(sleepsOf(text)).toEqual(['test/a.test.ts lets time pass in 1 places instead of 0']);
  });
});

test('a condition passes, and so does a timer in a program that is only a text', () => {
  expect(sleepsOf("await waitFor('it', async () => isThere()); await expect.poll(count).toBe(1);")).toEqual([]);
  expect(sleepsOf("const program = 'setTimeout(attack, 5)';")).toEqual([]);
});

test('tests wait for a condition, except in the listed places', () => {
  const patterns = ['test/**/*.ts', '{src,sdk,client,web}/**/*.test.ts', 'examples/**/*.test.ts'];
  const files = globSync(patterns, { exclude: ['**/node_modules/**', 'test/fixed-sleeps.test.ts'] }).map((file) => ({
    path: file.split(sep).join('/'),
    text: readFileSync(file, 'utf8'),
  }));
  expect(files.length).toBeGreaterThan(500);
  expect(findFixedSleeps(files)).toEqual([]);
});
