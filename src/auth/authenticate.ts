import { OPERATOR, type Principal } from '#domain/principal.ts';
import { equalsSecret, hashSecret } from './equals-secret.ts';

/** Who a token stands for; undefined when it is not known. */
export type Authenticate = (token: string) => Promise<Principal | undefined>;

/** All of `operatorTokens` mean the operator. Only hashes are kept and compared, in constant time. */
export function createAuthenticate(operatorTokens: readonly string[]): Authenticate {
  const known = operatorTokens.map(hashSecret);
  return async (token) => {
    const matches = known.filter((hash) => equalsSecret(token, hash));
    return matches.length > 0 ? OPERATOR : undefined;
  };
}
