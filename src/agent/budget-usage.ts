import { OPERATOR, type Principal, type UserId } from '#domain/principal.ts';
import type { SpendingLimits } from '#domain/spending.ts';
import { deleteBudget, putBudget } from '#store/budgets.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type DayUsage, listUsage } from '#store/usage.ts';

export type UsageReports = ReturnType<typeof createUsage>;

/** What was spent, and what may be. */
export function createUsage(db: Database) {
  return {
    /** A member's own, or for an operator everybody's. */
    listUsage: (principal: Principal, days: number): Promise<readonly DayUsage[]> =>
      principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => listUsage(trx, 'everybody', days))
        : withOwner(db, principal, (trx) => listUsage(trx, principal, days)),

    /** The operator's decision: limits of a user's own, or null for everybody's. They hold from its next turn on. */
    setLimits: (userId: UserId, limits: SpendingLimits | null): Promise<void> =>
      withOwner(db, OPERATOR, (trx) => (limits ? putBudget(trx, userId, limits) : deleteBudget(trx, userId))),
  };
}
