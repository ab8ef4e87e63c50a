import type { Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { type DayUsage, listUsage } from '#store/spending/usage.ts';
import { readStoredBytes } from '#store/workspaces/workspaces.ts';

export type UsageReports = ReturnType<typeof createUsage>;

/** Reports of what model calls cost, and of what is stored. `mostBytes`: what a user can store. */
export function createUsage(db: Database, mostBytes: number) {
  return {
    /** A member's own, or for an operator everyone's. */
    listUsage: (principal: Principal, days: number): Promise<readonly DayUsage[]> =>
      withScope(db, principal, (trx, scope) => listUsage(trx, scope, days)),

    /** The files of one person, in messages and in all kept versions, each content once. */
    readStorage: async (principal: Principal): Promise<{ readonly bytes: number; readonly limitBytes: number }> => ({
      bytes: await withOwner(db, principal, (trx) => readStoredBytes(trx, principal)),
      limitBytes: mostBytes,
    }),
  };
}
