import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { OPERATOR, type Principal, type UserId } from '#domain/principal.ts';
import { isWebhookUser, WEBHOOK } from '#domain/thread/job.ts';
import { deletePairing, findPairedUser, listPairings, type Pairing } from '#store/accounts/pairings.ts';
import { audited } from '#store/audit.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';

/** Whose secrets a call of `owner` may use. Only webhook users can be paired; all others have their own. */
export async function findSecretsOwner(db: Database, owner: Owner): Promise<Owner> {
  if (!isWebhookUser(owner.userId)) return owner;
  const userId = await withOwner(db, owner, (trx) => findPairedUser(trx, owner));
  return userId === undefined ? owner : { userId };
}

/** Secrets are a person's: a webhook user can't be paired with another one, nor with all users at once. */
export function checkPartner(userId: UserId | undefined): UserId {
  if (userId === undefined || userId.trim() === '')
    throw new InvalidRequest(
      'invalid_request',
      'user_id',
      'user_id is required: the user whose secrets this webhook user may use.',
    );
  if (isWebhookUser(userId) || userId === WEBHOOK.userId || userId === '*')
    throw new InvalidRequest('invalid_request', 'user_id', 'user_id must be a user of the gateway.');
  return userId;
}

export type Pairings = ReturnType<typeof createPairings>;

/** Who may use whose secrets: all of it for the operator, and for others what is done with theirs. */
export function createPairings(db: Database) {
  return {
    list: (principal: Principal): Promise<Pairing[]> =>
      principal.role === 'operator'
        ? withOwner(db, OPERATOR, (trx) => listPairings(trx, 'everybody'))
        : withOwner(db, principal, (trx) => listPairings(trx, principal)),

    async remove(principal: Principal, userId: UserId): Promise<void> {
      const isOperator = principal.role === 'operator';
      const entry = { actor: principal.userId, action: 'pairing.remove', subject: userId, detail: {} };
      await withOwner(db, isOperator ? OPERATOR : principal, async (trx) => {
        const partner = isOperator ? 'everybody' : principal;
        const removed = await audited(trx, (writing) => deletePairing(writing, partner, userId), entry);
        if (!removed) throw new NotFound('There is no such pairing.');
      });
    },
  };
}
