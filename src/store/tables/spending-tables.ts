import type { Generated } from 'kysely';

/** Usage and budgets. */
export type SpendingTables = {
  usageDays: {
    userId: string;
    day: string;
    provider: string;
    model: string;
    part: number;
    calls: number;
    errors: number;
    unpricedCalls: number;
    inputTokens: string;
    cachedInputTokens: string;
    outputTokens: string;
    costUsd: number;
    milliseconds: string;
  };
  workDays: { userId: string; day: string; work: string; part: number; tokens: string; usd: number };
  budgets: { userId: string; tokensPerDay: number | null; usdPerDay: number | null; updatedAt: Generated<Date> };
  limitRequests: { userId: string; askedAt: Generated<Date>; dismissedAt: Generated<Date | null> };
};
