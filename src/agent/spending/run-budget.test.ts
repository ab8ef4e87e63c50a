import { expect, test } from 'vitest';
import { limitOfRun } from './run-budget.ts';

test.each([
  [null, null, 500, null],
  [100, null, 500, 100],
  [null, 600, 500, 100],
  [200, 600, 500, 100],
  [50, 600, 500, 50],
  [50, 600, 700, -100],
])('with %j per run, %j per day and %j used today, a run may use %j', (perRun, perDay, used, limit) => {
  expect(limitOfRun(perRun, perDay, used)).toBe(limit);
});
