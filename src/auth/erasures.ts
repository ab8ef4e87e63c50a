import type { Erasure } from '#domain/erasure.ts';
import { NotFound } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { canSee, type Principal, requireOperator, type UserId } from '#domain/principal.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { findErasure, insertErasure, listErasures } from '#store/accounts/erasures.ts';
import { findUserOrRemoved, type Page } from '#store/accounts/users.ts';
import { type Audited, audited } from '#store/audit.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import { shutOut } from './accounts.ts';

export type ErasureRequests = ReturnType<typeof createErasureRequests>;

/** Asks for the erasure of users: operators of anyone, and members of themselves. `onRevoked` is called when a user loses access. */
export function createErasureRequests(db: IdentityDatabase, onRevoked: () => void = () => {}) {
  async function get(actor: Principal, by: Parameters<typeof findErasure>[1]): Promise<Erasure> {
    const erasure = await findErasure(db, by);
    if (!erasure || !canSee(actor, erasure.subject)) throw new NotFound('This erasure does not exist.');
    return erasure;
  }

  return {
    /** Also for users who were removed, whose data is still there, and for webhook users. A second request returns the first one. */
    async request(actor: Principal, subject: UserId): Promise<Erasure> {
      if (actor.userId !== subject) requireOperator(actor);
      const known = await findErasure(db, { subject });
      if (known && (known.completedAt === null || !isWebhookUser(subject))) return known;
      const user = await findUserOrRemoved(db, subject);
      if (!user && !isWebhookUser(subject)) throw new NotFound('This user does not exist.');

      const erasure = { id: newId(), subject, requestedBy: actor.userId };
      await runInTransaction(db, async (trx) => {
        const begin = async (writing: Audited<IdentityTransaction>) => {
          await shutOut(writing, subject);
          await insertErasure(writing, erasure);
        };
        await audited(trx, begin, {
          actor: actor.userId,
          action: 'user.erase',
          subject,
          detail: { erasure: erasure.id },
        });
      });
      onRevoked();
      return get(actor, { subject });
    },

    get: (actor: Principal, id: string): Promise<Erasure> => get(actor, { id }),

    async list(actor: Principal, page: Page): Promise<Erasure[]> {
      requireOperator(actor);
      return listErasures(db, page);
    },
  };
}
