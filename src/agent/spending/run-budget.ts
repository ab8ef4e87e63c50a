import type { Spent } from '#domain/spending.ts';
import { tokensOf, type Usage } from '#domain/usage.ts';
import type { Budgets } from '#domain/work/work-settings.ts';
import type { RunBudget } from './budget.ts';

const NOTHING: Spent = { tokens: 0, usd: 0 };

type RunLimits = Pick<Budgets, 'tokensPerRun'> & Partial<Pick<Budgets, 'usdPerRun'>>;

/** The budget of a run for one of its turns. `usages` are those of the earlier turns, and of the calls of the turn itself. */
export function createRunBudget(limits: RunLimits, usages: () => readonly Usage[]): RunBudget {
  return {
    tokens: limits.tokensPerRun,
    usd: limits.usdPerRun ?? null,
    used: () => usages().reduce(addSpent, NOTHING),
  };
}

/** The budget of a run that starts now; null for no limit. */
export function limitOfRun(perRun: number | null, perDay: number | null, usedToday: number): number | null {
  if (perDay === null) return perRun;
  return Math.min(perRun ?? perDay, perDay - usedToday);
}

/** An unknown price counts as nothing, as in the limits of users. */
function addSpent(spent: Spent, usage: Usage): Spent {
  const usd = usage.cost ? usage.cost.inputUsd + usage.cost.outputUsd : 0;
  return { tokens: spent.tokens + tokensOf(usage), usd: spent.usd + usd };
}
