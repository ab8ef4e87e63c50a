import { NotFound } from '#domain/errors.ts';
import { isUuid } from '#domain/ids.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  deleteStandingApproval,
  listStandingApprovals,
  type StandingApproval,
} from '#store/tools/standing-approvals.ts';

export type StandingApprovals = ReturnType<typeof createStandingApprovals>;

/** What was approved for good: one's own, or for an operator everybody's. They are given only by answering a gate. */
export function createStandingApprovals(db: Database) {
  return {
    list: (principal: Principal): Promise<StandingApproval[]> =>
      principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => listStandingApprovals(trx, 'everybody'))
        : withOwner(db, principal, (trx) => listStandingApprovals(trx, principal)),

    async revoke(principal: Principal, id: string): Promise<void> {
      if (!isUuid(id)) throw new NotFound('There is no such approval.');
      const isOperator = principal.role === 'operator';
      const entry = { actor: principal.userId, action: 'approval.revoke', subject: id, detail: {} };
      await withOwner(db, isOperator ? OPERATOR : principal, async (trx) => {
        const owner = isOperator ? 'everybody' : principal;
        const revoked = await audited(trx, (writing) => deleteStandingApproval(writing, owner, id), entry);
        if (!revoked) throw new NotFound('There is no such approval.');
      });
    },
  };
}
