import { expect, test } from 'vitest';
import type { MissionId } from '#domain/ids.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { BudgetExceeded, checkRun } from './budget.ts';
import { createRunBudget, limitOfRun } from './run-budget.ts';

const usage = { ...NO_USAGE, inputTokens: 60, outputTokens: 40, cost: { inputUsd: 0.01, outputUsd: 0.02 } };
const mission = { id: 'm' as MissionId, tools: null, tokensPerRun: 250, usdPerRun: 0.05 };

test('the usage of every turn of a run counts, and an unknown price counts as nothing', () => {
  expect(createRunBudget(mission, () => [usage]).used()).toEqual({ tokens: 100, usd: 0.03 });
  const next = createRunBudget(mission, () => [usage, usage, { ...usage, cost: null }]);
  expect(next.used()).toEqual({ tokens: 300, usd: 0.06 });
});

test('a run stops at the first limit it reaches, in tokens or in US dollars', () => {
  const check = (tokens: number | null, usd: number | null) => () =>
    checkRun({ tokens, usd, used: () => ({ tokens: 100, usd: 0.03 }) });
  expect(check(null, null)).not.toThrow();
  expect(check(101, 0.031)).not.toThrow();
  expect(check(100, null)).toThrow(BudgetExceeded);
  expect(check(100, null)).toThrow(/^The 100 tokens /);
  expect(check(1000, 0.03)).toThrow(/^The 0.03 US dollars /);
});

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
