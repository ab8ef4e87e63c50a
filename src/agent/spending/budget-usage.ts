import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type DayUsage, listUsage } from '#store/spending/usage.ts';

export type UsageReports = ReturnType<typeof createUsage>;

/** What was spent. */
export function createUsage(db: Database) {
  return {
    /** A member's own, or for an operator everybody's. */
    listUsage: (principal: Principal, days: number): Promise<readonly DayUsage[]> =>
      principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => listUsage(trx, 'everybody', days))
        : withOwner(db, principal, (trx) => listUsage(trx, principal, days)),
  };
}
