import type { SpendingLimits, Spent } from '#domain/spending.ts';

/** A limit on spending is used up: nothing more is asked of a model today. The message is fit for the user. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Holds what was spent against the limits. What runs at this moment is not known yet: each may pass by one call. */
export function checkBudget({ tokensPerDay, usdPerDay }: SpendingLimits, spent: Spent, now = new Date()): void {
  if (tokensPerDay !== null && spent.tokens >= tokensPerDay)
    throw exceeded(`${spent.tokens} of the ${tokensPerDay} tokens`, now);
  if (usdPerDay !== null && spent.usd >= usdPerDay)
    throw exceeded(`${spent.usd.toFixed(2)} of the ${usdPerDay.toFixed(2)} US dollars`, now);
}

export const isLimited = ({ tokensPerDay, usdPerDay }: SpendingLimits) => tokensPerDay !== null || usdPerDay !== null;

function exceeded(used: string, now: Date): BudgetExceeded {
  return new BudgetExceeded(
    `${used} that you may use in a day are used up. Go on after ${nextDay(now)}, or ask the operator for a higher limit.`,
  );
}

/** Days begin at midnight, UTC, for everybody. */
function nextDay(now: Date): string {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return new Date(midnight).toISOString().replace('.000', '');
}
