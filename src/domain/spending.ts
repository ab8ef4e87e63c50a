import type { Usage } from './usage.ts';

/** One call of a model, as the ledger counts it. */
export type ModelCall = {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly milliseconds: number;
  readonly failed: boolean;
};

/** What a user's model calls of one day, in UTC, add up to. */
export type Spent = { readonly tokens: number; readonly usd: number };

/** What a user may spend in a day; null is no limit. */
export type SpendingLimits = { readonly tokensPerDay: number | null; readonly usdPerDay: number | null };

export const NO_LIMITS: SpendingLimits = { tokensPerDay: null, usdPerDay: null };
