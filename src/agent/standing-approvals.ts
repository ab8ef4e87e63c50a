import { NotFound } from '#domain/errors.ts';
import { isUuid } from '#domain/ids.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteStandingApproval, listStandingApprovals, type StandingApproval } from '#store/standing-approvals.ts';
import type { OnDecision } from './decision.ts';

export type StandingApprovals = ReturnType<typeof createStandingApprovals>;

/** What was approved for good: one's own, or for an operator everybody's. They are given only by answering a gate. */
export function createStandingApprovals(db: Database, onDecision: OnDecision = () => {}) {
  return {
    list: (principal: Principal): Promise<StandingApproval[]> =>
      principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => listStandingApprovals(trx, 'everybody'))
        : withOwner(db, principal, (trx) => listStandingApprovals(trx, principal)),

    async revoke(principal: Principal, id: string): Promise<void> {
      if (!isUuid(id)) throw new NotFound('There is no such approval.');
      const revoked = await (principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => deleteStandingApproval(trx, 'everybody', id))
        : withOwner(db, principal, (trx) => deleteStandingApproval(trx, principal, id)));
      if (!revoked) throw new NotFound('There is no such approval.');
      onDecision({ actor: principal.userId, action: 'approval.revoke', subject: id, detail: {} });
    },
  };
}
