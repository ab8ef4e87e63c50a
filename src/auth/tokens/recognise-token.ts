import { findTokens, recordUse } from '#store/accounts/tokens.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { type Elsewhere, judgeMove } from './elsewhere.ts';
import { lookUpTogether } from './look-up-together.ts';
import type { DatedVerdict } from './remember-verdicts.ts';
import { bareToken } from './user-token.ts';

/** Finds the user of a token. */
export function createTokenRecogniser(db: IdentityDatabase, elsewhere: Elsewhere, onError: (error: unknown) => void) {
  const lookUp = lookUpTogether((hashes) => findTokens(db, hashes));

  return async (token: string, hash: Buffer): Promise<DatedVerdict> => {
    const found = await lookUp(hash);
    if (!found) return { verdict: await elsewhere.judgeUnknown(bareToken(token), hash) };
    const { id, userId, role, expiresAt, isStale } = found;
    const away = judgeMove(found.move);
    if (away) return { verdict: away };
    if (isStale) recordUse(db, id).catch(onError); // not awaited
    return { verdict: { outcome: 'known', principal: { userId, role } }, validUntil: expiresAt };
  };
}
