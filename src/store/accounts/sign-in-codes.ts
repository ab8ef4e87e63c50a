import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { IdentityDatabase } from '../identity-connection.ts';

/** For whom a sign-in link was made. */
export type SignInCode = {
  readonly userId: UserId;
  /** The session ends with this token. */
  readonly tokenHash: Buffer | null;
  /** The session ends then at the latest. */
  readonly sessionUntil: Date | null;
};

/** Also clears away codes that have expired. */
export async function insertSignInCode(
  db: IdentityDatabase,
  code: SignInCode & { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await db.deleteFrom('signInCodes').where('expiresAt', '<', sql<Date>`now()`).execute();
  await db.insertInto('signInCodes').values(code).execute();
}

/** A code can be taken once, and only in time. */
export function takeSignInCode(db: IdentityDatabase, hash: Buffer): Promise<SignInCode | undefined> {
  return db
    .deleteFrom('signInCodes')
    .where('hash', '=', hash)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['userId', 'tokenHash', 'sessionUntil'])
    .executeTakeFirst();
}
