import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import { isWebhookUser, WEBHOOK } from '#domain/thread/job.ts';
import { deletePairing, findPairedUser, listPairings, type Pairing } from '#store/accounts/pairings.ts';
import { audited } from '#store/audit.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';

/** The user whose secrets a call of `owner` uses. Only webhook users can be paired; others use their own secrets. */
export async function findSecretsOwner(db: Database, owner: Owner): Promise<Owner> {
  if (!isWebhookUser(owner.userId)) return owner;
  const userId = await withOwner(db, owner, (trx) => findPairedUser(trx, owner));
  return userId === undefined ? owner : { userId };
}

/** Secrets belong to a person: a webhook user can't be paired with another webhook user, nor with all users. */
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

/** Which webhook users may use whose secrets: operators see all pairings, members those with themselves. */
export function createPairings(db: Database) {
  return {
    list: (principal: Principal): Promise<Pairing[]> => withScope(db, principal, listPairings),

    async remove(principal: Principal, userId: UserId): Promise<void> {
      const entry = { actor: principal.userId, action: 'pairing.remove', subject: userId, detail: {} };
      await withScope(db, principal, async (trx, scope) => {
        const removed = await audited(trx, (writing) => deletePairing(writing, scope, userId), entry);
        if (!removed) throw new NotFound('This pairing does not exist.');
      });
    },
  };
}
