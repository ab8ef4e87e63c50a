import { sql } from 'kysely';
import type { UserMove } from '#domain/cell/user-move.ts';
import type { Role, Scope, UserId } from '#domain/principal.ts';
import type { Session, SignInMethod } from '#domain/user.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';
import { userOf } from '../scope.ts';
import { MOVE } from './moves.ts';

export type NewSession = {
  readonly id: string;
  readonly userId: UserId;
  readonly method: SignInMethod;
  readonly hash: Buffer;
  readonly keyHash: Buffer;
  readonly tokenHash: Buffer | null;
  readonly expiresAt: Date;
};

/** A session that has not ended. The operator has no row in `users`, so the operator's session has no role. */
export type FoundSession = {
  readonly id: string;
  readonly userId: UserId;
  readonly hash: Buffer;
  readonly keyHash: Buffer;
  readonly role: Role | null;
  /** The operator token that opened the session, if that token is permanent. */
  readonly tokenHash: Buffer | null;
  readonly expiresAt: Date;
  readonly isStale: boolean;
  readonly move: Pick<UserMove, 'cell' | 'state'> | null;
};

/** Also deletes expired sessions. */
export async function insertSession(db: Audited<IdentityTransaction>, session: NewSession): Promise<void> {
  await db.deleteFrom('sessions').where('expiresAt', '<', sql<Date>`now()`).execute();
  await db.insertInto('sessions').values(session).execute();
}

/** A user's session ends when the user is removed, or when the token that opened it expires or is revoked. */
export async function findSessions(db: IdentityDatabase, hashes: readonly Buffer[]): Promise<FoundSession[]> {
  const { rows } = await sql<FoundSession>`
    select sessions.id, sessions.user_id, sessions.hash, sessions.key_hash, users.role, sessions.token_hash, sessions.expires_at,
      last_seen_at < now() - interval '1 minute' as is_stale, ${MOVE}
    from sessions
    left join user_moves on subject = sessions.user_id and state <> 'arrived'
    left join users on users.id = sessions.user_id and users.removed_at is null
    left join tokens on tokens.hash = sessions.token_hash and tokens.revoked_at is null
      and (tokens.expires_at is null or tokens.expires_at > now())
    where sessions.hash = any(${hashes}::bytea[]) and sessions.expires_at > now()
      and (users.id is null or sessions.token_hash is null or tokens.id is not null)`.execute(db);
  return rows;
}

export async function recordSeen(db: IdentityDatabase, id: string): Promise<void> {
  await db.updateTable('sessions').set({ lastSeenAt: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** Returns its user; undefined if the session did not exist. */
export async function deleteSession(db: Audited<IdentityTransaction>, hash: Buffer): Promise<UserId | undefined> {
  const row = await db.deleteFrom('sessions').where('hash', '=', hash).returning('userId').executeTakeFirst();
  return row?.userId;
}

/** The sessions that have not expired, newest first. */
export function listSessions(db: IdentityDatabase, userId: UserId): Promise<Session[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'userId', 'method', 'createdAt', 'lastSeenAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('id', 'desc')
    .execute();
}

/** Returns its user; undefined if the session does not exist or is outside the scope. */
export async function deleteSessionById(
  db: Audited<IdentityTransaction>,
  id: string,
  scope: Scope,
): Promise<UserId | undefined> {
  const row = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .$if(scope !== 'everyone', (query) => query.where('userId', '=', userOf(scope) as UserId))
    .returning('userId')
    .executeTakeFirst();
  return row?.userId;
}

export async function deleteSessionsOf(db: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await db.deleteFrom('sessions').where('userId', '=', userId).execute();
}
