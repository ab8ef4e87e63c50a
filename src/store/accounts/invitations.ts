import { sql } from 'kysely';
import { OPERATOR, type Role } from '#domain/principal.ts';
import type { Invitation } from '#domain/user.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';

export type NewInvitation = Pick<Invitation, 'id' | 'userId' | 'role' | 'name' | 'expiresAt'> & {
  readonly hash: Buffer;
};

/** Also deletes expired ones. */
export async function insertInvitation(
  db: Audited<IdentityTransaction>,
  invitation: NewInvitation,
): Promise<Invitation> {
  await db.deleteFrom('invitations').where('expiresAt', '<', sql<Date>`now()`).execute();
  return db.insertInto('invitations').values(invitation).returning(columns).executeTakeFirstOrThrow();
}

/** The ones that still work, newest first. */
export function listInvitations(db: IdentityDatabase): Promise<Invitation[]> {
  return db.selectFrom('invitations').select(columns).where(isValid).orderBy('id', 'desc').execute();
}

/** Returns it, if it still works. No one can take it again. */
export function takeInvitation(db: Audited<IdentityTransaction>, hash: Buffer): Promise<Invitation | undefined> {
  return db.deleteFrom('invitations').where('hash', '=', hash).where(isValid).returning(columns).executeTakeFirst();
}

/** Returns its role; undefined if it does not exist. */
export async function deleteInvitation(db: Audited<IdentityTransaction>, id: string): Promise<Role | undefined> {
  const row = await db.deleteFrom('invitations').where('id', '=', id).returning('role').executeTakeFirst();
  return row?.role;
}

/** An invitation of someone who is no operator any more is worth nothing. */
const isValid = sql<boolean>`expires_at > now() and (user_id = ${OPERATOR.userId} or exists (
  select from users where users.id = invitations.user_id and users.role = 'operator' and users.removed_at is null))`;

const columns = ['id', 'userId', 'role', 'name', 'createdAt', 'expiresAt'] as const;
