import { hashSecret } from '#domain/secret-hash.ts';
import { isAway } from '#store/away.ts';
import { isReachable } from '#store/connection.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Authenticate, createAuthenticate, isJwt } from './authenticate.ts';
import { createSessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import type { OidcSettings } from './sso/oidc-provider.ts';
import { createTokenRecogniser } from './tokens/recognise-token.ts';
import { type DatedVerdict, rememberVerdicts } from './tokens/remember-verdicts.ts';
import { isUserToken } from './tokens/user-token.ts';

export type Auth = {
  /** For what came as `Authorization: Bearer`. */
  readonly bearer: Authenticate;
  /** For what came in a browser's cookie. */
  readonly session: Authenticate;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  /** Makes the next request of everybody be judged anew: somebody was shut out. */
  forget(): void;
  /** Calls `listener` whenever somebody was shut out, until the function it returns is called. */
  onShutOut(listener: () => void): () => void;
};

export type AuthOptions = {
  readonly identities: IdentityDatabase;
  /** Each of them means the operator. */
  readonly operatorTokens: readonly string[];
  /** The one of them that is new at each start, if one is. */
  readonly passingToken: string | undefined;
  readonly oidc: OidcSettings | undefined;
  readonly onError: (error: unknown) => void;
};

/** Everything about who may ask. */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { identities, operatorTokens, passingToken, oidc, onError } = options;
  const singleSignOn = oidc && (await import('./sso/single-sign-on.ts')).createSingleSignOn(identities, oidc, onError);
  const lasting = operatorTokens.filter((token) => token !== passingToken).map(hashSecret);
  const sessions = createSessions(identities, lasting, onError);
  const recogniseToken = createTokenRecogniser(identities, onError);

  const bearers = rememberVerdicts(async (token, hash) => {
    if (isUserToken(token)) return recogniseToken(hash);
    return singleSignOn && isJwt(token) ? singleSignOn.recognise(token) : NOBODY;
  });
  const browsers = rememberVerdicts((pair) => sessions.recognise(pair));
  const listeners = new Set<() => void>();
  const forget = () => {
    bearers.forget();
    browsers.forget();
    for (const listener of listeners) listener();
  };

  const common = { isReachable: rememberReachable(() => isReachable(identities)), isAway };
  const bearer = createAuthenticate({
    ...common,
    operatorTokens,
    recognise: (token, hash) => bearers.find(token, hash),
  });
  const session = createAuthenticate({
    ...common,
    operatorTokens: [],
    recognise: (secret, hash) => browsers.find(secret, hash),
  });
  const signIn = createSignIn({
    identities,
    authenticate: bearer,
    sessions,
    oidc: singleSignOn?.signIn,
    passingToken: passingToken === undefined ? undefined : hashSecret(passingToken),
    onSignedOut: forget,
  });
  const onShutOut = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { bearer, session, signIn, accounts: createAccounts(identities, forget), forget, onShutOut };
}

const NOBODY: DatedVerdict = { verdict: { outcome: 'unknown' } };

const REMEMBER_MS = 1000;

/** Asks `check` at most once a second, however many want to know. */
function rememberReachable(check: () => Promise<boolean>): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let until = 0;

  return () => {
    if (last && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY; // while it is being asked
    last = check().finally(() => {
      until = performance.now() + REMEMBER_MS;
    });
    return last;
  };
}
