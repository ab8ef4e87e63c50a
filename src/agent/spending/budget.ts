import type { SpendingLimits, Spent } from '#domain/spending.ts';
import { renderUsd } from '#domain/usage.ts';

/** A spending limit is reached: no more model calls today. The message is for the user. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Compares spending with the limits. Running calls are not counted yet, so each limit can be exceeded by one call. */
export function checkBudget({ tokensPerDay, usdPerDay }: SpendingLimits, spent: Spent, now = new Date()): void {
  if (tokensPerDay !== null && spent.tokens >= tokensPerDay)
    throw exceeded(`${spent.tokens} of the ${tokensPerDay} tokens`, now);
  if (usdPerDay !== null && spent.usd >= usdPerDay)
    throw exceeded(`${spent.usd.toFixed(2)} of the ${usdPerDay.toFixed(2)} US dollars`, now);
}

/** What one run of a mission may use and has used, in all of its turns. */
export type RunBudget = { readonly tokens: number | null; readonly usd: number | null; readonly used: () => Spent };

/** Compares a run with its budget, which it can exceed by one call. */
export function checkRun({ tokens, usd, used }: RunBudget): void {
  const spent = used();
  if (tokens !== null && spent.tokens >= tokens) throw overRun(`${tokens} tokens`);
  if (usd !== null && spent.usd >= usd) throw overRun(`${renderUsd(usd)} US dollars`);
}

const overRun = (allowed: string) =>
  new BudgetExceeded(`The ${allowed} that this run may use are used up. The budgets of its mission allow no more.`);

export const isLimited = ({ tokensPerDay, usdPerDay }: SpendingLimits) => tokensPerDay !== null || usdPerDay !== null;

function exceeded(used: string, now: Date): BudgetExceeded {
  return new BudgetExceeded(
    `${used} that you may use in a day are used up. Continue after ${nextDay(now)}, or ask the operator for a higher limit.`,
  );
}

/** Days begin at midnight UTC. */
function nextDay(now: Date): string {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return new Date(midnight).toISOString().replace('.000', '');
}
