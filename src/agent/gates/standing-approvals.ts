import { NotFound } from '#domain/errors.ts';
import { isUuid } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { audited } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { deleteStandingApproval, type ListedApproval, listStandingApprovals } from '#store/tools/standing-approvals.ts';

export type StandingApprovals = ReturnType<typeof createStandingApprovals>;

/** Approvals of all similar calls: the user's own, or for an operator everyone's. Only the answer to a gate creates one. */
export function createStandingApprovals(db: Database) {
  return {
    list: (principal: Principal): Promise<ListedApproval[]> => withScope(db, principal, listStandingApprovals),

    async revoke(principal: Principal, id: string): Promise<void> {
      if (!isUuid(id)) throw new NotFound('This approval does not exist.');
      const entry = { actor: principal.userId, action: 'approval.revoke', subject: id, detail: {} };
      await withScope(db, principal, async (trx, scope) => {
        const revoked = await audited(trx, (writing) => deleteStandingApproval(writing, scope, id), entry);
        if (!revoked) throw new NotFound('This approval does not exist.');
      });
    },
  };
}
