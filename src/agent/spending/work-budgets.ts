import type { Spent } from '#domain/spending.ts';
import { tokensOf, type Usage } from '#domain/usage.ts';
import type { AppliedSettings } from '#domain/work/work-settings.ts';
import type { LeftOfRun } from '#engine/statements/delegations.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { readWorkDay } from '#store/spending/work-days.ts';
import { checkRun, checkWorkDay } from './budget.ts';

export type WorkBudgets = {
  /** Throws `BudgetExceeded`. Resolves to the ids of the settings whose day the next model call counts for. */
  check(): Promise<readonly string[] | undefined>;
  /** What the budgets of the run leave. */
  left(): Promise<LeftOfRun>;
};

/**
 * The budgets of all settings of a turn. `usages`: of the run's earlier turns, and of the calls of the turn itself; `below`: of the
 * children whose reports it has. A day is looked up before each model call, so that runs at the same time see each other; only settings
 * with a budget of the day cost this query.
 */
export function createWorkBudgets(parts: {
  readonly db: Database;
  readonly owner: Owner;
  readonly work: () => Promise<readonly AppliedSettings[]>;
  readonly usages: () => readonly Usage[];
  readonly below: () => Spent;
}): WorkBudgets {
  const { db, owner, work, usages, below } = parts;
  return {
    async check() {
      const applied = await work();
      if (applied.length === 0) return undefined;
      const ofRun = usages().reduce(addSpent, below());
      for (const each of applied) checkRun(each, ofRun);
      const counted = applied.filter(hasDay);
      for (const each of counted)
        checkWorkDay(each, await withOwner(db, owner, (trx) => readWorkDay(trx, owner, each.id)));
      return counted.map(({ id }) => id);
    },

    async left() {
      const applied = await work();
      const own = usages().reduce(addSpent, NOTHING);
      const least = (limits: readonly (number | null)[], used: number): number | null => {
        const known = limits.filter((limit) => limit !== null);
        return known.length === 0 ? null : Math.max(0, Math.min(...known) - used);
      };
      return {
        tokens: least(
          applied.map(({ settings }) => settings.tokensPerRun),
          own.tokens,
        ),
        usd: least(
          applied.map(({ settings }) => settings.usdPerRun),
          own.usd,
        ),
      };
    },
  };
}

const hasDay = ({ settings }: AppliedSettings) => settings.tokensPerDay !== null || settings.usdPerDay !== null;

const NOTHING: Spent = { tokens: 0, usd: 0 };

/** An unknown price counts as nothing, as in the limits of users. */
function addSpent(spent: Spent, usage: Usage): Spent {
  const usd = usage.cost ? usage.cost.inputUsd + usage.cost.outputUsd : 0;
  return { tokens: spent.tokens + tokensOf(usage), usd: spent.usd + usd };
}
