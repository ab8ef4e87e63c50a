import type { SpendingLimits, Spent } from '#domain/spending.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import type { AppliedSettings } from '#domain/work/work-settings.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import type { LeftOfRun } from '#engine/statements/delegations.ts';
import type { Database } from '#store/connection.ts';
import { createMeter, type ModelLog } from '../spending/budget-meter.ts';
import { createWorkBudgets } from '../spending/work-budgets.ts';
import type { AttemptItems } from './attempt-items.ts';

/** The model calls of an attempt, within the limits of its user and its settings, and what they have used so far. */
export function createAttemptSpending(parts: {
  readonly db: Database;
  readonly turn: Turn;
  readonly work: () => Promise<readonly AppliedSettings[]>;
  readonly run: TurnRun;
  readonly items: AttemptItems;
  readonly limits: SpendingLimits;
  readonly log: ModelLog;
  readonly traceparent: string | undefined;
}) {
  const { db, turn, work, run, items, limits, log, traceparent } = parts;
  let summaryUsage = NO_USAGE;
  let below = run.usedBelow;
  const budgets = createWorkBudgets({
    db,
    owner: turn,
    work,
    usages: () => [...run.usedBefore, ...usages()],
    below: () => below,
  });
  const meter = createMeter({
    limits: run.limits ?? limits,
    spent: () => run.spent(),
    work: budgets,
    signal: run.signal,
    traceparent,
    log,
  });

  function usages(): Usage[] {
    return [summaryUsage, meter.failedUsage(), ...items.own().map(({ usage }) => usage ?? NO_USAGE)];
  }

  const writeSummary: TurnRun['writeSummary'] = async (summary, call) => {
    await run.writeSummary(summary, call);
    summaryUsage = addUsage(summaryUsage, call.usage);
  };

  return {
    meter,
    /** Writes a summary, and counts its model call. */
    writeSummary,
    usage: (): Usage => usages().reduce(addUsage),
    /** What the limits of the run leave, without its children. */
    left: (): Promise<LeftOfRun> => budgets.left(),
    /** Counts what a child has used whose report was delivered. */
    addBelow: (used: Spent): void => {
      below = add(below, used);
    },
  };
}

const add = (a: Spent, b: Spent): Spent => ({ tokens: a.tokens + b.tokens, usd: a.usd + b.usd });
