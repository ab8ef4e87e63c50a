import type { Principal } from '#domain/principal.ts';
import type { LimitRequest, SpendingLimits } from '#domain/spending.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { findBudget } from '#store/spending/budgets.ts';
import { findLimitRequest } from '#store/spending/limit-requests.ts';
import { type DayUsage, listUsage } from '#store/spending/usage.ts';
import { readStoredBytes } from '#store/workspaces/workspaces.ts';

export type UsageReports = ReturnType<typeof createUsage>;

export type UsageOptions = {
  /** What a user can store. */
  readonly mostBytes: number;
  /** The limits of users without their own. */
  readonly limits: SpendingLimits;
};

/** Reports of what model calls cost, and of what is stored. */
export function createUsage(db: Database, { mostBytes, limits }: UsageOptions) {
  return {
    /** A member's own, or for an operator everyone's. */
    listUsage: (principal: Principal, days: number): Promise<readonly DayUsage[]> =>
      withScope(db, principal, (trx, scope) => listUsage(trx, scope, days)),

    /** What one person may spend in a day, and whether they have asked for more today. */
    readLimits: (principal: Principal): Promise<SpendingLimits & { readonly request: LimitRequest | undefined }> =>
      withOwner(db, principal, async (trx) => {
        const own = await findBudget(trx, principal);
        return { ...(own ?? limits), request: await findLimitRequest(trx, principal) };
      }),

    /** The files of one person, in messages and in all kept versions, each content once. */
    readStorage: async (principal: Principal): Promise<{ readonly bytes: number; readonly limitBytes: number }> => ({
      bytes: await withOwner(db, principal, (trx) => readStoredBytes(trx, principal)),
      limitBytes: mostBytes,
    }),
  };
}
