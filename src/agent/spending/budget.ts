import type { FailureDetails } from '#domain/failure/failure-details.ts';
import type { SpendingLimits, Spent } from '#domain/spending.ts';
import { renderUsd } from '#domain/usage.ts';
import type { AppliedSettings } from '#domain/work/work-settings.ts';

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

type Budgeted = Pick<AppliedSettings, 'from' | 'name' | 'settings'>;

/** Compares what a run has used in all of its turns with a budget. It can exceed it by one call. */
export function checkRun({ from, name, settings }: Budgeted, spent: Spent): void {
  const { tokensPerRun: tokens, usdPerRun: usd } = settings;
  const over = (limit: number, unit: Unit) =>
    from === 'mission' || from === 'child' ? overRun(limit, unit) : overWorkRun(name, limit, unit);
  if (tokens !== null && spent.tokens >= tokens) throw over(tokens, 'tokens');
  if (usd !== null && spent.usd >= usd) throw over(usd, 'usd');
}

/** Compares what a user has used today with a budget of the day. */
export function checkWorkDay({ name, settings }: Budgeted, spent: Spent, now = new Date()): void {
  const { tokensPerDay: tokens, usdPerDay: usd } = settings;
  if (tokens !== null && spent.tokens >= tokens) throw overWorkDay(name, tokens, 'tokens', now);
  if (usd !== null && spent.usd >= usd) throw overWorkDay(name, usd, 'usd', now);
}

function overRun(limit: number, unit: Unit): BudgetExceeded {
  return new BudgetExceeded(
    `The ${allowed(limit, unit)} that this run may use are used up. Its budget allows no more.`,
    { code: 'limit.run', values: { limit, unit } },
  );
}

function overWorkRun(name: string, limit: number, unit: Unit): BudgetExceeded {
  return new BudgetExceeded(
    `The ${allowed(limit, unit)} that "${name}" may use for one message are used up. Divide the task, or raise the budget.`,
    { code: 'limit.work_run', values: { name, limit, unit } },
  );
}

function overWorkDay(name: string, limit: number, unit: Unit, now: Date): BudgetExceeded {
  const resets = nextDay(now);
  return new BudgetExceeded(
    `The ${allowed(limit, unit)} that "${name}" may use for you in a day are used up. Continue after ${resets}, or raise the budget.`,
    { code: 'limit.work_day', values: { name, limit, unit, resets } },
  );
}

const allowed = (limit: number, unit: Unit) =>
  unit === 'tokens' ? `${limit} tokens` : `${renderUsd(limit)} US dollars`;

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
