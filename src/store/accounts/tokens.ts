import { sql } from 'kysely';
import type { TokenId } from '#domain/ids.ts';
import type { Role, Scope, UserId } from '#domain/principal.ts';
import type { Token } from '#domain/user.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';
import { userOf } from '../scope.ts';

export type NewToken = Pick<Token, 'id' | 'userId' | 'name' | 'expiresAt'> & { readonly hash: Buffer };

/** A token that is good now, and whose it is. */
export type GoodToken = {
  readonly id: TokenId;
  readonly hash: Buffer;
  readonly userId: UserId;
  readonly role: Role;
  readonly expiresAt: Date | null;
  /** Its last use was noted more than a minute ago, or never. */
  readonly isStale: boolean;
};

export function insertToken(db: Audited<IdentityTransaction>, token: NewToken): Promise<Token> {
  return db.insertInto('tokens').values(token).returning(columns).executeTakeFirstOrThrow();
}

/** Those of the hashes that belong to a good token of a user who is still there. */
export async function findTokens(db: IdentityDatabase, hashes: readonly Buffer[]): Promise<GoodToken[]> {
  const { rows } = await sql<GoodToken>`
    select tokens.id, hash, user_id, role, expires_at,
      coalesce(last_used_at < now() - interval '1 minute', true) as is_stale
    from tokens join users on users.id = user_id
    where hash = any(${hashes}::bytea[]) and revoked_at is null and removed_at is null
      and (expires_at is null or expires_at > now())`.execute(db);
  return rows;
}

/** Not more often than once a minute, however many processes try. */
export async function noteUse(db: IdentityDatabase, id: TokenId): Promise<void> {
  await sql`
    update tokens set last_used_at = now()
    where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)`.execute(db);
}

/** Those that were not revoked; an expired one is still told. */
export function listTokens(db: IdentityDatabase, userId: UserId): Promise<Token[]> {
  return db
    .selectFrom('tokens')
    .select(columns)
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .orderBy('id')
    .execute();
}

/** Undefined when there is none, it is somebody else's than `userId`'s, or it was revoked before. */
export function revokeToken(db: Audited<IdentityTransaction>, id: TokenId, scope: Scope): Promise<Token | undefined> {
  return db
    .updateTable('tokens')
    .set({ revokedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .$if(scope !== 'everyone', (query) => query.where('userId', '=', userOf(scope) as UserId))
    .returning(columns)
    .executeTakeFirst();
}

export async function revokeTokensOf(db: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ revokedAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .execute();
}

const columns = ['id', 'userId', 'name', 'createdAt', 'expiresAt', 'lastUsedAt'] as const;
