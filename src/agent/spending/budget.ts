import type { SpendingLimits, Spent } from '#domain/spending.ts';

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

/** The limit that a mission has for each of its runs. It can be exceeded by one call. */
export function checkRun(run: { readonly limit: number | null; readonly used: () => number } | undefined): void {
  if (!run || run.limit === null || run.used() < run.limit) return;
  throw new BudgetExceeded(`The ${run.limit} tokens that one run of this mission may use are used up.`);
}

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
