import type { UserId } from './principal.ts';
import type { Usage } from './usage.ts';

/** One model call, as usage reports count it. */
export type ModelCall = {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly milliseconds: number;
  readonly failed: boolean;
  /** The ids of the settings whose budgets of the day it counts for. */
  readonly work?: readonly string[];
};

/** The total of a user's model calls on one day (UTC). */
export type Spent = { readonly tokens: number; readonly usd: number };

/** Daily limits of a user; null means unlimited. */
export type SpendingLimits = { readonly tokensPerDay: number | null; readonly usdPerDay: number | null };

export const NO_LIMITS: SpendingLimits = { tokensPerDay: null, usdPerDay: null };

/** A user who has reached their limit asks the operators for more. */
export type LimitRequest = {
  readonly userId: UserId;
  readonly askedAt: Date;
  /** When an operator decided to leave the limit as it is. */
  readonly dismissedAt: Date | null;
};

/** Calls as `count_calls` takes them. */
export const callsJson = (calls: readonly ModelCall[]): string => JSON.stringify(calls.map(toCountedCall));

export const toCountedCall = ({ provider, model, failed, usage, milliseconds, work }: ModelCall) => ({
  provider,
  model,
  failed,
  input: usage.inputTokens,
  cached: usage.cachedInputTokens,
  output: usage.outputTokens,
  cost: usage.cost && usage.cost.inputUsd + usage.cost.outputUsd,
  milliseconds: Math.round(milliseconds),
  ...(work && work.length > 0 && { work }),
});
