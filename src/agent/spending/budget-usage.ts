import type { Principal } from '#domain/principal.ts';
import type { Database } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { type DayUsage, listUsage } from '#store/spending/usage.ts';

export type UsageReports = ReturnType<typeof createUsage>;

/** Reports of what model calls cost. */
export function createUsage(db: Database) {
  return {
    /** A member's own, or for an operator everyone's. */
    listUsage: (principal: Principal, days: number): Promise<readonly DayUsage[]> =>
      withScope(db, principal, (trx, scope) => listUsage(trx, scope, days)),
  };
}
