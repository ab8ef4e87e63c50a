import { ownCell } from '#domain/cell/cell.ts';
import { hashEmail, hashIdentity } from '#domain/cell/user-move.ts';
import { newId } from '#domain/ids.ts';
import type { OidcIdentity, User } from '#domain/user.ts';
import { findMove } from '#store/accounts/moves.ts';
import {
  claimUserByEmail,
  findUserByIdentity,
  insertUser,
  isExpectedAddress,
  isRemovedAddress,
  type NewUser,
} from '#store/accounts/users.ts';
import { type Audited, audited } from '#store/audit.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import type { Verdict } from '../authenticate.ts';
import { type Elsewhere, judgeMove } from '../tokens/elsewhere.ts';
import type { Placing, Voucher } from './place-user.ts';
import type { Claims } from './verify-id-token.ts';

/**
 * Admits a person whom the provider has authenticated, and creates a user at their first sign-in. Removed users stay out,
 * including those who never signed in before and are known only by their email.
 */
export async function admitOidcUser(
  { db, elsewhere, allowedDomains, placing }: AdmitParts,
  claims: Claims,
  voucher?: Voucher,
): Promise<Verdict> {
  if (allowedDomains && !isFrom(allowedDomains, claims)) return { outcome: 'domain-not-allowed' };

  const known = await findUserByIdentity(db, claims);
  const left = known ? undefined : await findLeft(elsewhere, claims);
  if (left) return placing && left.outcome === 'elsewhere' ? placing.send(hashIdentity(claims), left.cell) : left;
  const place = known ? undefined : await findPlace(db, placing, claims, voucher);
  if (place) return place;
  const user = known ?? (await welcomeUnlessRemoved(db, claims));
  if (!user || ('removedAt' in user && user.removedAt)) return { outcome: 'unknown' };
  const away = ownCell() === undefined ? undefined : judgeMove(await findMove(db, user.id));
  if (away) return away;
  return { outcome: 'known', principal: { userId: user.id, role: user.role } };
}

export type AdmitParts = {
  readonly db: IdentityDatabase;
  readonly elsewhere: Elsewhere;
  readonly allowedDomains: readonly string[] | undefined;
  /** How new users are spread over the cells, if they are. */
  readonly placing: Placing | undefined;
};

/** `voucher`: what the sign-in brings from another cell. */
export type Admit = (claims: Claims, voucher?: Voucher) => Promise<Verdict>;

/** Someone whom an operator has removed stays out, and is not placed. */
async function findPlace(
  db: IdentityDatabase,
  placing: Placing | undefined,
  claims: Claims,
  voucher: Voucher,
): Promise<Verdict | undefined> {
  const email = verifiedEmailOf(claims);
  if (!placing || (claims.email !== undefined && (await isRemovedAddress(db, claims.email)))) return undefined;
  const isExpected = email !== null && (await isExpectedAddress(db, email));
  return placing.findPlace(hashIdentity(claims), voucher, isExpected);
}

/** A person who left for another cell is found by their identity, or by their email if they never signed in here. */
async function findLeft(elsewhere: Elsewhere, claims: Claims): Promise<Verdict | undefined> {
  const found = await elsewhere.findLeft(hashIdentity(claims));
  const email = verifiedEmailOf(claims);
  return found ?? (email === null ? undefined : elsewhere.findLeft(hashEmail(email)));
}

/** An unverified email may belong to another person. */
const verifiedEmailOf = ({ email, emailVerified }: Claims) => (emailVerified ? (email ?? null) : null);

function isFrom(domains: readonly string[], claims: Claims): boolean {
  const email = verifiedEmailOf(claims);
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  return domain !== undefined && domains.some((allowed) => allowed.toLowerCase() === domain);
}

/** The operator readmits a removed user by adding a user with the same email. */
async function welcomeUnlessRemoved(db: IdentityDatabase, claims: Claims): Promise<User | undefined> {
  if (claims.email !== undefined && (await isRemovedAddress(db, claims.email))) return undefined;
  return welcome(db, claims);
}

/** The user who was added with this email, or a new one. Concurrent first requests create one user. */
async function welcome(db: IdentityDatabase, claims: Claims): Promise<User | undefined> {
  const email = verifiedEmailOf(claims);
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
