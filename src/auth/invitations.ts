import { Conflict, NotFound } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Invitation, User } from '#domain/user.ts';
import { deleteInvitation, insertInvitation, listInvitations, takeInvitation } from '#store/accounts/invitations.ts';
import { insertUser, isNameTaken } from '#store/accounts/users.ts';
import { type Audited, audited } from '#store/audit.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import { requireStillOperator } from './still-operator.ts';
import { newToken } from './tokens/operator-token.ts';

export type Invitations = ReturnType<typeof createInvitations>;

const LIFETIME_MS = 7 * 86_400_000;

/** Links that make people users. Only operators create, see and revoke them. */
export function createInvitations(db: IdentityDatabase) {
  return {
    /** `secret` is the code of the link, which can be shown only now. */
    async create(
      actor: Principal,
      { role, name }: Pick<Invitation, 'role' | 'name'>,
    ): Promise<{ readonly invitation: Invitation; readonly secret: string }> {
      const secret = newToken();
      const invitation = await runInTransaction(db, async (trx) => {
        await requireStillOperator(trx, actor);
        const wanted = { id: newId(), userId: actor.userId, role, name, hash: hashSecret(secret) };
        const expiresAt = new Date(Date.now() + LIFETIME_MS);
        // Without the name: an erasure finds what it redacts by the id of a user, which does not exist yet.
        const entry = { actor: actor.userId, action: 'invitation.create', subject: wanted.id, detail: { role } };
        return audited(trx, (writing) => insertInvitation(writing, { ...wanted, expiresAt }), entry);
      });
      return { invitation, secret };
    },

    async list(actor: Principal): Promise<Invitation[]> {
      requireOperator(actor);
      return listInvitations(db);
    },

    async revoke(actor: Principal, id: string): Promise<void> {
      requireOperator(actor);
      await runInTransaction(db, async (trx) => {
        const revoke = async (writing: Audited<IdentityTransaction>) => {
          const role = await deleteInvitation(writing, id);
          if (!role) throw new NotFound('This invitation does not exist, or it was used.');
          return role;
        };
        await audited(trx, revoke, (role) => ({
          actor: actor.userId,
          action: 'invitation.revoke',
          subject: id,
          detail: { role },
        }));
      });
    },
  };
}

/** Makes a person the user that an invitation is for. Undefined if it was used, revoked or expired, or its maker is no operator now. */
export function acceptInvitation(trx: IdentityTransaction, hash: Buffer, name: string): Promise<User | undefined> {
  const accept = async (writing: Audited<IdentityTransaction>) => {
    const invitation = await takeInvitation(writing, hash);
    if (!invitation) return undefined;
    if (await isNameTaken(trx, name)) throw new Conflict('already_exists', `A user called ${name} already exists.`);
    const user = await insertUser(writing, { id: newId(), name, email: null, role: invitation.role });
    return user && { user, invitation };
  };
  const joined = audited(trx, accept, (accepted) =>
    accepted
      ? {
          actor: accepted.user.id,
          action: 'user.join',
          subject: accepted.user.id,
          detail: {
            name,
            role: accepted.user.role,
            invitation: accepted.invitation.id,
            invitedBy: accepted.invitation.userId,
          },
        }
      : 'no right changed',
  );
  return joined.then((accepted) => accepted?.user);
}
