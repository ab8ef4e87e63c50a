import { ownCell } from '#domain/cell/cell.ts';
import { hashEmail, hashIdentity } from '#domain/cell/user-move.ts';
import { newId } from '#domain/ids.ts';
import type { OidcIdentity, User } from '#domain/user.ts';
import { findMove } from '#store/accounts/moves.ts';
import {
  claimUserByEmail,
  findUserByIdentity,
  insertUser,
  isRemovedAddress,
  type NewUser,
} from '#store/accounts/users.ts';
import { type Audited, audited } from '#store/audit.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import type { Verdict } from '../authenticate.ts';
import { type Elsewhere, judgeMove } from '../tokens/elsewhere.ts';
import type { Claims } from './verify-id-token.ts';

/**
 * Admits a person whom the provider has authenticated, and creates a user at their first sign-in. Removed users stay out,
 * including those who never signed in before and are known only by their email.
 */
export async function admitOidcUser(
  db: IdentityDatabase,
  elsewhere: Elsewhere,
  allowedDomains: readonly string[] | undefined,
  claims: Claims,
): Promise<Verdict> {
  if (allowedDomains && !isFrom(allowedDomains, claims)) return { outcome: 'domain-not-allowed' };

  const known = await findUserByIdentity(db, claims);
  const left = known ? undefined : await findLeft(elsewhere, claims);
  if (left) return left;
  const user = known ?? (await welcomeUnlessRemoved(db, claims));
  if (!user || ('removedAt' in user && user.removedAt)) return { outcome: 'unknown' };
  const away = ownCell() === undefined ? undefined : judgeMove(await findMove(db, user.id));
  if (away) return away;
  return { outcome: 'known', principal: { userId: user.id, role: user.role } };
}

export type Admit = (claims: Claims) => Promise<Verdict>;

/** A person who left for another cell is found by their identity, or by their email if they never signed in here. */
async function findLeft(elsewhere: Elsewhere, claims: Claims): Promise<Verdict | undefined> {
  const found = await elsewhere.findLeft(hashIdentity(claims));
  if (found || !claims.emailVerified || claims.email === undefined) return found;
  return elsewhere.findLeft(hashEmail(claims.email));
}

/** An unverified email may belong to another person. */
function isFrom(domains: readonly string[], { email, emailVerified }: Claims): boolean {
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  return emailVerified && domain !== undefined && domains.some((allowed) => allowed.toLowerCase() === domain);
}

/** The operator readmits a removed user by adding a user with the same email. */
async function welcomeUnlessRemoved(db: IdentityDatabase, claims: Claims): Promise<User | undefined> {
  if (claims.email !== undefined && (await isRemovedAddress(db, claims.email))) return undefined;
  return welcome(db, claims);
}

/** The user who was added with this email, or a new one. Concurrent first requests create one user. */
async function welcome(db: IdentityDatabase, claims: Claims): Promise<User | undefined> {
  const email = claims.emailVerified ? (claims.email ?? null) : null;
  const name = claims.name ?? claims.email ?? claims.subject;
  const identity = { issuer: claims.issuer, subject: claims.subject };
  const insert = async (address: string | null) => {
    const welcomed = await runInTransaction(db, (trx) =>
      audited(
        trx,
        (writing) => claimOrInsert(writing, { id: newId(), name, email: address, role: 'member', identity }),
        ({ user, action }) =>
          user
            ? { actor: user.id, action, subject: user.id, detail: { issuer: claims.issuer, email: address } }
            : 'no right changed',
      ),
    );
    return welcomed.user;
  };
  // The email may belong to a user with another identity, who keeps it.
  return (await insert(email)) ?? (await findUserByIdentity(db, claims)) ?? (await insert(null));
}

async function claimOrInsert(trx: Audited<IdentityTransaction>, user: NewUser & { readonly identity: OidcIdentity }) {
  const claimed = user.email === null ? undefined : await claimUserByEmail(trx, user.email, user.identity);
  if (claimed) return { user: claimed, action: 'user.link' };
  return { user: await insertUser(trx, user), action: 'user.first-sign-in' };
}
