import { hashSecret, isSameHash } from '#domain/secret-hash.ts';
import type { Authenticate, Verdict } from './authenticate.ts';
import { isJwt } from './is-jwt.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';
import type { OpenedSession, Sessions } from './sessions.ts';

/** How long a browser has for signing in with the identity provider. */
export const TICKET_SECONDS = 600;

export type Refusal = Exclude<Verdict, { outcome: 'known' }>;
export type SignedIn = { readonly outcome: 'known'; readonly session: OpenedSession } | Refusal;

/** How a browser gets a session, and loses it. `former` is the one it had until now. */
export type SignIn = {
  withToken(token: string, former: string | undefined): Promise<SignedIn>;
  /** Undefined without an identity provider. */
  readonly oidc:
    | {
        begin: OidcSignIn['begin'];
        finish(ticket: string, callback: URL, former: string | undefined): Promise<SignedIn>;
      }
    | undefined;
  signOut(secret: string): Promise<void>;
};

export type SignInParts = {
  readonly authenticate: Authenticate;
  readonly sessions: Sessions;
  readonly oidc: OidcSignIn | undefined;
  /** An operator's token that is new at each start. What it opens outlives it. */
  readonly passingToken: Buffer | undefined;
  readonly onSignedOut: () => void;
};

export function createSignIn({ authenticate, sessions, oidc, passingToken, onSignedOut }: SignInParts): SignIn {
  return {
    async withToken(token, former) {
      const verdict = await authenticate(token);
      if (verdict.outcome !== 'known') return verdict;
      const hash = hashSecret(token);
      const isPassing = passingToken !== undefined && isSameHash(passingToken, hash);
      const tokenHash = isPassing || isJwt(token) ? null : hash; // neither can be revoked
      return {
        outcome: 'known',
        session: await sessions.open(verdict.principal, { method: 'token', tokenHash, former }),
      };
    },

    oidc: oidc && {
      begin: (redirectUri) => oidc.begin(redirectUri),
      async finish(ticket, callback, former) {
        const verdict = await oidc.finish(ticket, callback);
        if (verdict.outcome !== 'known') return verdict;
        const origin = { method: 'oidc', tokenHash: null, former } as const;
        return { outcome: 'known', session: await sessions.open(verdict.principal, origin) };
      },
    },

    async signOut(secret) {
      await sessions.close(secret);
      onSignedOut();
    },
  };
}
