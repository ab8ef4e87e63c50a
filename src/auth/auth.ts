import { isAway } from '#store/away.ts';
import { isReachable } from '#store/connection.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Authenticate, createAuthenticate } from './authenticate.ts';
import { createTokenRecogniser } from './recognise-token.ts';
import { rememberReachable } from './remember-reachable.ts';
import { type DatedVerdict, rememberVerdicts } from './remember-verdicts.ts';
import { isUserToken } from './user-token.ts';

export type Auth = {
  /** For what came as `Authorization: Bearer`. */
  readonly authenticate: Authenticate;
  readonly accounts: Accounts;
};

export type AuthOptions = {
  readonly identities: IdentityDatabase;
  /** Each of them means the operator. */
  readonly operatorTokens: readonly string[];
  readonly onError: (error: unknown) => void;
};

/** Everything about who may ask. */
export function createAuth({ identities, operatorTokens, onError }: AuthOptions): Auth {
  const recogniseToken = createTokenRecogniser(identities, onError);
  const bearers = rememberVerdicts(async (token, hash) => (isUserToken(token) ? recogniseToken(hash) : NOBODY));
  return {
    authenticate: createAuthenticate({
      operatorTokens,
      isReachable: rememberReachable(() => isReachable(identities)),
      recognise: (token, hash) => bearers.find(token, hash),
      isAway,
    }),
    accounts: createAccounts(identities, () => bearers.forget()),
  };
}

const NOBODY: DatedVerdict = { verdict: { outcome: 'unknown' } };
