import { sql } from 'kysely';
import type { IdentityDatabase } from '../identity-connection.ts';

/** A sign-in in progress at the identity provider, and the values that must match when the browser returns. */
export type PendingSignIn = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** Also deletes expired sign-ins. */
export async function insertSignIn(
  db: IdentityDatabase,
  hash: Buffer,
  pending: PendingSignIn,
  expiresAt: Date,
): Promise<void> {
  await db.deleteFrom('signIns').where('expiresAt', '<', sql<Date>`now()`).execute();
  await db
    .insertInto('signIns')
    .values({ hash, ...pending, expiresAt })
    .execute();
}

/** A sign-in can be taken once, before it expires. */
export function takeSignIn(db: IdentityDatabase, hash: Buffer): Promise<PendingSignIn | undefined> {
  return db
    .deleteFrom('signIns')
    .where('hash', '=', hash)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['state', 'nonce', 'verifier'])
    .executeTakeFirst();
}
