import { createHash, timingSafeEqual } from 'node:crypto';
import { OPERATOR, type Principal } from '#domain/principal.ts';

/** Who a token stands for; undefined when it is not known. */
export type Authenticate = (token: string) => Promise<Principal | undefined>;

/** All of `operatorTokens` mean the operator. Only hashes are kept and compared, in constant time. */
export function createAuthenticate(operatorTokens: readonly string[]): Authenticate {
  const known = operatorTokens.map(hashToken);
  return async (token) => {
    const given = hashToken(token);
    const matches = known.filter((hash) => timingSafeEqual(hash, given));
    return matches.length > 0 ? OPERATOR : undefined;
  };
}

const hashToken = (token: string) => createHash('sha256').update(token).digest();
