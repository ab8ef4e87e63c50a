import type { MissionRun } from '#domain/mission/mission.ts';
import type { Spent } from '#domain/spending.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { tokensOf, type Usage } from '#domain/usage.ts';
import type { RunBudget } from './budget.ts';

const NOTHING: Spent = { tokens: 0, usd: 0 };

/** The budget of a run for the turn that continues or starts it. `usages` are the calls of the turn itself. */
export function createRunBudget(mission: MissionRun, usages: () => readonly Usage[]): RunBudget {
  return {
    tokens: mission.tokensPerRun,
    usd: mission.usdPerRun ?? null,
    used: () => usages().reduce(addSpent, mission.used ?? NOTHING),
  };
}

/** The run as its next turn knows it, after `turn` has ended. */
export function continueRun(mission: MissionRun, { usage }: Pick<Turn, 'usage'>): MissionRun {
  return { ...mission, used: addSpent(mission.used ?? NOTHING, usage) };
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
