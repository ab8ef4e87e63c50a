import type { FailureDetails } from '#domain/failure/failure-details.ts';
import type { SpendingLimits, Spent } from '#domain/spending.ts';
import { renderUsd } from '#domain/usage.ts';

/** A spending limit is reached: no more model calls today. The message is for the user. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails) {
    super(message);
    this.details = details;
  }
}

/** Compares spending with the limits. Running calls are not counted yet, so each limit can be exceeded by one call. */
export function checkBudget({ tokensPerDay, usdPerDay }: SpendingLimits, spent: Spent, now = new Date()): void {
  if (tokensPerDay !== null && spent.tokens >= tokensPerDay)
    throw exceeded({ used: spent.tokens, limit: tokensPerDay, unit: 'tokens' }, now);
  if (usdPerDay !== null && spent.usd >= usdPerDay)
    throw exceeded({ used: spent.usd, limit: usdPerDay, unit: 'usd' }, now);
}

/** What one run of a mission, or a child, may use and has used, in all of its turns. */
export type RunBudget = { readonly tokens: number | null; readonly usd: number | null; readonly used: () => Spent };

/** Compares a run with its budget, which it can exceed by one call. */
export function checkRun({ tokens, usd, used }: RunBudget): void {
  const spent = used();
  if (tokens !== null && spent.tokens >= tokens) throw overRun(tokens, 'tokens');
  if (usd !== null && spent.usd >= usd) throw overRun(usd, 'usd');
}

function overRun(limit: number, unit: Unit): BudgetExceeded {
  const allowed = unit === 'tokens' ? `${limit} tokens` : `${renderUsd(limit)} US dollars`;
  return new BudgetExceeded(`The ${allowed} that this run may use are used up. Its budget allows no more.`, {
    code: 'limit.run',
    values: { limit, unit },
  });
}

export const isLimited = ({ tokensPerDay, usdPerDay }: SpendingLimits) => tokensPerDay !== null || usdPerDay !== null;

type Unit = 'tokens' | 'usd';
type Use = { readonly used: number; readonly limit: number; readonly unit: Unit };

function exceeded(use: Use, now: Date): BudgetExceeded {
  const { used, limit, unit } = use;
  const amount =
    unit === 'tokens' ? `${used} of the ${limit} tokens` : `${used.toFixed(2)} of the ${limit.toFixed(2)} US dollars`;
  const resets = nextDay(now);
  return new BudgetExceeded(
    `${amount} that you may use in a day are used up. Continue after ${resets}, or ask the operator for a higher limit.`,
    { code: 'limit.day', values: { ...use, resets } },
  );
}

/** Days begin at midnight UTC. */
function nextDay(now: Date): string {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return new Date(midnight).toISOString().replace('.000', '');
}
