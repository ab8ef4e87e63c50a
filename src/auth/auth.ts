import type { UserId } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { isAway } from '#store/away.ts';
import { isReachable } from '#store/connection.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { type AccountRow, readAccount } from './account-export.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Authenticate, createAuthenticate, isJwt } from './authenticate.ts';
import { createErasureRequests, type ErasureRequests } from './erasures.ts';
import { createInvitations, type Invitations } from './invitations.ts';
import { createPeople, type People } from './people.ts';
import { createSessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import type { OidcSettings } from './sso/oidc-provider.ts';
import type { PlacementSettings } from './sso/place-user.ts';
import { createElsewhere, type Elsewhere } from './tokens/elsewhere.ts';
import { createTokenRecogniser } from './tokens/recognise-token.ts';
import { type DatedVerdict, rememberVerdicts } from './tokens/remember-verdicts.ts';
import { isUserToken } from './tokens/user-token.ts';

export type Auth = {
  /** For the token of `Authorization: Bearer`. */
  readonly bearer: Authenticate;
  /** For a browser's session cookie. */
  readonly session: Authenticate;
  readonly signIn: SignIn;
  /** Finds the cell of what users who left this one are known by. */
  readonly findCell: Elsewhere['findCell'];
  readonly accounts: Accounts;
  readonly erasures: ErasureRequests;
  readonly invitations: Invitations;
  readonly people: People;
  /** The account of a user, without secrets. */
  readonly readAccount: (userId: UserId) => AsyncIterable<AccountRow>;
  /** Clears all cached verdicts, because a user or token lost access. */
  forget(): void;
  /** Calls `listener` whenever a user or token loses access, until the returned function is called. */
  onRevoked(listener: () => void): () => void;
};

export type AuthOptions = {
  readonly identities: IdentityDatabase;
  /** Each of them authenticates the operator. */
  readonly operatorTokens: readonly string[];
  /** The operator token that is new at each start, if there is one. */
  readonly passingToken: string | undefined;
  readonly oidc: OidcSettings | undefined;
  /** How new users are spread over the cells. */
  readonly placement: PlacementSettings | undefined;
  readonly onError: (error: unknown) => void;
};

/** Builds authentication: tokens, sessions, accounts and sign-in. */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { identities, operatorTokens, passingToken, oidc, placement, onError } = options;
  const elsewhere = createElsewhere(identities);
  const singleSignOn =
    oidc &&
    (await import('./sso/single-sign-on.ts')).createSingleSignOn({
      identities,
      settings: oidc,
      elsewhere,
      placement,
      onError,
    });
  const lasting = operatorTokens.filter((token) => token !== passingToken).map(hashSecret);
  const sessions = createSessions(identities, lasting, elsewhere, onError);
  const recogniseToken = createTokenRecogniser(identities, elsewhere, onError);

  const bearers = rememberVerdicts(async (token, hash) => {
    if (isUserToken(token)) return recogniseToken(token, hash);
    return singleSignOn && isJwt(token) ? singleSignOn.recognise(token) : UNKNOWN;
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
    async recognise(token, hash, isRepeated) {
      const verdict = await bearers.find(token, hash);
      const isPlaced = isRepeated && verdict.outcome === 'elsewhere' && verdict.isGuess && isJwt(token);
      return isPlaced && singleSignOn ? (await singleSignOn.recognise(token, 'repeated')).verdict : verdict;
    },
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
    elsewhere,
    oidc: singleSignOn?.signIn,
    passingToken: passingToken === undefined ? undefined : hashSecret(passingToken),
    onSignedOut: forget,
  });
  const onRevoked = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    bearer,
    session,
    signIn,
    findCell: elsewhere.findCell,
    accounts: createAccounts(identities, forget),
    erasures: createErasureRequests(identities, forget),
    invitations: createInvitations(identities),
    people: createPeople(identities),
    readAccount: (userId) => readAccount(identities, userId),
    forget,
    onRevoked,
  };
}

const UNKNOWN: DatedVerdict = { verdict: { outcome: 'unknown' } };

const REMEMBER_MS = 1000;

/** Calls `check` at most once a second, for any number of callers. */
function rememberReachable(check: () => Promise<boolean>): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let until = 0;

  return () => {
    if (last && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY; // until the check returns
    last = check().finally(() => {
      until = performance.now() + REMEMBER_MS;
    });
    return last;
  };
}
