import { sql } from 'kysely';
import type { UserMove } from '#domain/cell/user-move.ts';
import type { TokenId } from '#domain/ids.ts';
import type { Role, Scope, UserId } from '#domain/principal.ts';
import type { Token } from '#domain/user.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';
import { userOf } from '../scope.ts';
import { MOVE } from './moves.ts';

export type NewToken = Pick<Token, 'id' | 'userId' | 'name' | 'expiresAt'> & { readonly hash: Buffer };

/** A valid token and its user. */
export type GoodToken = {
  readonly id: TokenId;
  readonly hash: Buffer;
  readonly userId: UserId;
  readonly role: Role;
  readonly expiresAt: Date | null;
  readonly move: Pick<UserMove, 'cell' | 'state'> | null;
  /** Whether its last use was recorded more than a minute ago, or never. */
  readonly isStale: boolean;
};

export function insertToken(db: Audited<IdentityTransaction>, token: NewToken): Promise<Token> {
  return db.insertInto('tokens').values(token).returning(columns).executeTakeFirstOrThrow();
}

/** The hashes that belong to a valid token of a user who was not removed. */
export async function findTokens(db: IdentityDatabase, hashes: readonly Buffer[]): Promise<GoodToken[]> {
  const { rows } = await sql<GoodToken>`
    select tokens.id, hash, user_id, role, expires_at,
      coalesce(last_used_at < now() - interval '1 minute', true) as is_stale, ${MOVE}
    from tokens join users on users.id = user_id
    left join user_moves on subject = user_id and state <> 'arrived'
    where hash = any(${hashes}::bytea[]) and revoked_at is null and removed_at is null
      and (expires_at is null or expires_at > now())`.execute(db);
  return rows;
}

/** Writes at most once a minute, across all processes. */
export async function recordUse(db: IdentityDatabase, id: TokenId): Promise<void> {
  await sql`
    update tokens set last_used_at = now()
    where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)`.execute(db);
}

/** Tokens that were not revoked, including expired ones. */
export function listTokens(db: IdentityDatabase, userId: UserId): Promise<Token[]> {
  return db
    .selectFrom('tokens')
    .select(columns)
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .orderBy('id')
    .execute();
}

/** Undefined if the scope does not have this token, or it was revoked before. */
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
