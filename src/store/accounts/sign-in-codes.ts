import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { IdentityDatabase } from '../identity-connection.ts';

/** The user a sign-in link was made for. */
export type SignInCode = {
  readonly userId: UserId;
  /** The session ends with this token. */
  readonly tokenHash: Buffer | null;
  /** When the session ends at the latest. */
  readonly sessionUntil: Date | null;
};

/** Also deletes expired codes. */
export async function insertSignInCode(
  db: IdentityDatabase,
  code: SignInCode & { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await db.deleteFrom('signInCodes').where('expiresAt', '<', sql<Date>`now()`).execute();
  await db.insertInto('signInCodes').values(code).execute();
}

/** A code can be used once, before it expires. */
export function takeSignInCode(db: IdentityDatabase, hash: Buffer): Promise<SignInCode | undefined> {
  return db
    .deleteFrom('signInCodes')
    .where('hash', '=', hash)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['userId', 'tokenHash', 'sessionUntil'])
    .executeTakeFirst();
}
