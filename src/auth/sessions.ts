import { newId } from '#domain/ids.ts';
import { OPERATOR, type Principal, type UserId } from '#domain/principal.ts';
import { hashSecret, isSameHash } from '#domain/secret-hash.ts';
import type { SignInMethod } from '#domain/user.ts';
import { refuseMoving } from '#store/accounts/moves.ts';
import { deleteSession, type FoundSession, findSessions, insertSession, recordSeen } from '#store/accounts/sessions.ts';
import { type Audited, audited } from '#store/audit.ts';
import { type IdentityDatabase, type IdentityTransaction, runInTransaction } from '#store/identity-connection.ts';
import { type Elsewhere, judgeMove } from './tokens/elsewhere.ts';
import { lookUpTogether } from './tokens/look-up-together.ts';
import { isToken, newToken } from './tokens/operator-token.ts';
import type { DatedVerdict } from './tokens/remember-verdicts.ts';

const BETWEEN = '.';

/** Joins a cookie and its session key into one secret. */
export const pairOf = (cookie: string, key: string): string => cookie + BETWEEN + key;

/** The browser's cookie and its lifetime. */
export type OpenedSession = {
  readonly secret: string;
  /** A key that the app's pages keep and send along with the cookie. */
  readonly key: string;
  readonly expiresAt: Date;
};

export type SessionOrigin = {
  readonly method: SignInMethod;
  /** The session ends when this token expires or is revoked. */
  readonly tokenHash: Buffer | null;
  /** When the session ends at the latest. */
  readonly until: Date | null;
  /** The browser's previous session, which ends. */
  readonly former: string | undefined;
};

/** Sessions of browsers that have signed in. */
export type Sessions = {
  open(userId: UserId, origin: SessionOrigin): Promise<OpenedSession>;
  /** The same, together with what else the transaction does. */
  openIn(trx: IdentityTransaction, userId: UserId, origin: SessionOrigin): Promise<OpenedSession>;
  /** Whether this cookie belongs to a session, with or without its key. */
  isOpen(secret: string): Promise<boolean>;
  /** `pair` is cookie and key, joined by `pairOf`. */
  recognise(pair: string): Promise<DatedVerdict>;
  close(secret: string): Promise<void>;
};

const LIFETIME_MS = 7 * 86_400_000;

/** `operatorTokens` are the permanent ones: the operator's sessions end when the token that opened them is removed. */
export function createSessions(
  db: IdentityDatabase,
  operatorTokens: readonly Buffer[],
  elsewhere: Elsewhere,
  onError: (error: unknown) => void,
): Sessions {
  const lookUp = lookUpTogether((hashes) => findSessions(db, hashes));
  return {
    open: (userId, origin) => runInTransaction(db, (trx) => openSession(trx, userId, origin)),

    openIn: openSession,

    isOpen: async (secret) => isToken(secret) && (await lookUp(hashSecret(secret))) !== undefined,

    async recognise(pair) {
      const [secret = '', key = ''] = pair.split(BETWEEN);
      const session = isToken(secret) ? await lookUp(hashSecret(secret)) : undefined;
      if (!session) return { verdict: await elsewhere.judgeUnknown(secret) };
      const away = judgeMove(session.move);
      if (away) return { verdict: away };
      const principal = principalOf(session, operatorTokens);
      if (!principal || !isSameHash(session.keyHash, hashSecret(key))) return { verdict: { outcome: 'unknown' } };
      if (session.isStale) recordSeen(db, session.id).catch(onError); // not awaited
      return { verdict: { outcome: 'known', principal }, validUntil: session.expiresAt };
    },

    async close(secret) {
      await runInTransaction(db, async (trx) => {
        await audited(
          trx,
          (writing) => deleteSession(writing, hashSecret(secret)),
          (userId) =>
            userId === undefined
              ? 'no right changed'
              : { actor: userId, action: 'sign-out', subject: userId, detail: {} },
        );
      });
    },
  };
}

async function openSession(trx: IdentityTransaction, userId: UserId, origin: SessionOrigin): Promise<OpenedSession> {
  const { method, tokenHash, until, former } = origin;
  const [secret, key] = [newToken(), newToken()];
  const longest = Date.now() + LIFETIME_MS;
  const expiresAt = new Date(Math.min(longest, until?.getTime() ?? longest));
  await refuseMoving(trx, userId);
  const hashes = { hash: hashSecret(secret), keyHash: hashSecret(key), tokenHash };
  const signIn = async (writing: Audited<IdentityTransaction>) => {
    if (former !== undefined) await deleteSession(writing, hashSecret(former));
    await insertSession(writing, { id: newId(), userId, method, ...hashes, expiresAt });
  };
  await audited(trx, signIn, { actor: userId, action: 'sign-in', subject: userId, detail: { method } });
  return { secret, key, expiresAt };
}

function principalOf(session: FoundSession, operatorTokens: readonly Buffer[]): Principal | undefined {
  const { userId, role, tokenHash } = session;
  if (role) return { userId, role };
  const isCurrent = tokenHash === null || operatorTokens.some((token) => isSameHash(token, tokenHash));
  return userId === OPERATOR.userId && isCurrent ? OPERATOR : undefined;
}
