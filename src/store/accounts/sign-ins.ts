import { sql } from 'kysely';
import type { IdentityDatabase } from '../identity-connection.ts';

/** A browser that was sent to the identity provider, and what must fit when it comes back. */
export type PendingSignIn = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** Also clears away what was never finished. */
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

/** Can be had once, and only in time. */
export function takeSignIn(db: IdentityDatabase, hash: Buffer): Promise<PendingSignIn | undefined> {
  return db
    .deleteFrom('signIns')
    .where('hash', '=', hash)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['state', 'nonce', 'verifier'])
    .executeTakeFirst();
}
