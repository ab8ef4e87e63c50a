import type { SpendingLimits } from '#domain/spending.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import type { AppliedSettings } from '#domain/work/work-settings.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
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
  const meter = createMeter({
    limits: run.limits ?? limits,
    spent: () => run.spent(),
    work: createWorkBudgets({ db, owner: turn, work, usages: () => [...run.usedBefore, ...usages()] }),
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
  };
}
