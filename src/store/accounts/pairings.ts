import { sql } from 'kysely';
import type { Scope, UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import type { IdentityTransaction } from '../identity-connection.ts';
import { userOf } from '../scope.ts';

/** A webhook user whose calls may use the secrets of a gateway user. */
export type Pairing = { readonly userId: UserId; readonly pairedUserId: UserId; readonly createdAt: Date };

/** Pairs the owner. A later pairing replaces an earlier one. */
export async function putPairing(trx: Audited<OwnedTransaction>, owner: Owner, pairedUserId: UserId): Promise<void> {
  await trx
    .insertInto('pairings')
    .values({ userId: owner.userId, pairedUserId })
    .onConflict((paired) => paired.column('userId').doUpdateSet({ pairedUserId, createdAt: sql<Date>`now()` }))
    .execute();
}

/** The user whose secrets the owner may use. */
export async function findPairedUser(trx: OwnedTransaction, owner: Owner): Promise<UserId | undefined> {
  const row = await trx
    .selectFrom('pairings')
    .select('pairedUserId')
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return row?.pairedUserId;
}

/** The pairings that use the secrets of `partner`. Row-level security lets only the operator see everyone's. */
export function listPairings(trx: OwnedTransaction, partner: Scope): Promise<Pairing[]> {
  return trx
    .selectFrom('pairings')
    .selectAll()
    .$if(partner !== 'everyone', (query) => query.where('pairedUserId', '=', userOf(partner) as UserId))
    .orderBy('userId')
    .execute();
}

/** Removes every pairing that uses the secrets of `partner`. */
export async function deletePairingsWith(trx: Audited<IdentityTransaction>, partner: UserId): Promise<void> {
  await trx.deleteFrom('pairings').where('pairedUserId', '=', partner).execute();
}

/** Returns whether there was one. */
export async function deletePairing(trx: Audited<OwnedTransaction>, partner: Scope, userId: UserId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pairings')
    .where('userId', '=', userId)
    .$if(partner !== 'everyone', (query) => query.where('pairedUserId', '=', userOf(partner) as UserId))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
