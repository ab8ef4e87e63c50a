import type { IdentityDatabase } from '#store/identity-connection.ts';
import { findTokens, type GoodToken, noteUse } from '#store/tokens.ts';
import type { DatedVerdict } from './remember-verdicts.ts';
import { isSameHash } from './token-hash.ts';

const MOST_AT_ONCE = 500;

type Waiting = { readonly hash: Buffer; readonly found: PromiseWithResolvers<GoodToken | undefined> };

/** Looks users' tokens up. Those that come while a query is under way share the next one, however many they are. */
export function createTokenRecogniser(db: IdentityDatabase, onError: (error: unknown) => void) {
  const waiting: Waiting[] = [];
  let busy = false;

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) await lookUp(waiting.splice(0, MOST_AT_ONCE));
    busy = false;
  }

  async function lookUp(batch: readonly Waiting[]): Promise<void> {
    try {
      const tokens = await findTokens(
        db,
        batch.map(({ hash }) => hash),
      );
      for (const { hash, found } of batch) found.resolve(tokens.find((token) => isSameHash(token.hash, hash)));
      const stale = tokens.filter(({ isStale }) => isStale).map(({ id }) => id);
      if (stale.length > 0) noteUse(db, stale).catch(onError); // nobody waits for this
    } catch (error) {
      for (const { found } of batch) found.reject(error);
    }
  }

  return async (hash: Buffer): Promise<DatedVerdict> => {
    const found = Promise.withResolvers<GoodToken | undefined>();
    waiting.push({ hash, found });
    if (!busy) void drain();
    const token = await found.promise;
    if (!token) return { verdict: { outcome: 'unknown' } };
    const { userId, role, expiresAt } = token;
    return { verdict: { outcome: 'known', principal: { userId, role } }, validUntil: expiresAt };
  };
}
