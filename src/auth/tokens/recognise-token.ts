import { findTokens, recordUse } from '#store/accounts/tokens.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { lookUpTogether } from './look-up-together.ts';
import type { DatedVerdict } from './remember-verdicts.ts';

/** Finds the user of the token with this hash. */
export function createTokenRecogniser(db: IdentityDatabase, onError: (error: unknown) => void) {
  const lookUp = lookUpTogether((hashes) => findTokens(db, hashes));

  return async (hash: Buffer): Promise<DatedVerdict> => {
    const token = await lookUp(hash);
    if (!token) return { verdict: { outcome: 'unknown' } };
    const { id, userId, role, expiresAt, isStale } = token;
    if (isStale) recordUse(db, id).catch(onError); // not awaited
    return { verdict: { outcome: 'known', principal: { userId, role } }, validUntil: expiresAt };
  };
}
