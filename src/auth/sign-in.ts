import { Conflict } from '#domain/errors.ts';
import type { UserId } from '#domain/principal.ts';
import { hashSecret, isSameHash } from '#domain/secret-hash.ts';
import { insertSignInCode, takeSignInCode } from '#store/accounts/sign-in-codes.ts';
import { type IdentityDatabase, runInTransaction } from '#store/identity-connection.ts';
import { type Authenticate, expiryOf, isJwt, type Refusal } from './authenticate.ts';
import { acceptInvitation } from './invitations.ts';
import type { OpenedSession, Sessions } from './sessions.ts';
import type { Elsewhere } from './tokens/elsewhere.ts';
import { isToken, newToken } from './tokens/operator-token.ts';
import type { DatedVerdict } from './tokens/remember-verdicts.ts';

/** How long a sign-in with the identity provider may take. */
export const TICKET_SECONDS = 600;

/** How long a sign-in link is valid. */
const CODE_SECONDS = 900;

export type SignedIn = { readonly outcome: 'known'; readonly session: OpenedSession } | Refusal;
export type MadeCode = { readonly outcome: 'known'; readonly code: string; readonly expiresAt: Date } | Refusal;

/** Opens and closes browser sessions. `former` is the browser's previous session. */
export type SignIn = {
  /** `isRepeated`: another cell has sent the request here. */
  withToken(token: string, former: string | undefined, isRepeated: boolean): Promise<SignedIn>;
  /** `code` is from a sign-in link. */
  withCode(code: string, former: string | undefined): Promise<SignedIn>;
  /** Creates the user of an invitation and signs them in. `code` is from the link, and `name` what to call them. */
  withInvitation(code: string, name: string, former: string | undefined): Promise<SignedIn>;
  /** Creates a single-use code for a sign-in link, for the token's user. */
  createCode(token: string): Promise<MadeCode>;
  /** Undefined without an identity provider. */
  readonly oidc:
    | {
        begin: OidcSignIn['begin'];
        finish(ticket: string, callback: URL, brought: Brought): Promise<SignedIn>;
      }
    | undefined;
  signOut(secret: string): Promise<void>;
};

/** What the browser brings besides the ticket. `voucher`: of another cell, which has sent it here. */
export type Brought = { readonly former: string | undefined; readonly voucher: string | undefined };

export type SignInParts = {
  readonly identities: IdentityDatabase;
  readonly authenticate: Authenticate;
  readonly sessions: Sessions;
  readonly elsewhere: Elsewhere;
  readonly oidc: OidcSignIn | undefined;
  /** An operator token that is new at each start. Sessions opened with it outlive it. */
  readonly passingToken: Buffer | undefined;
  readonly onSignedOut: () => void;
};

export function createSignIn(parts: SignInParts): SignIn {
  const { identities, authenticate, sessions, elsewhere, oidc, passingToken, onSignedOut } = parts;

  /** The limits that the token sets on the lifetime of its session. */
  function boundsOf(token: string): { tokenHash: Buffer | null; until: Date | null } {
    if (isJwt(token)) return { tokenHash: null, until: expiryOf(token) };
    const hash = hashSecret(token);
    const isPassing = passingToken !== undefined && isSameHash(passingToken, hash);
    return { tokenHash: isPassing ? null : hash, until: null };
  }

  const open = async (userId: UserId, origin: Parameters<Sessions['open']>[1]): Promise<SignedIn> => ({
    outcome: 'known',
    session: await sessions.open(userId, origin),
  });

  return {
    async withToken(token, former, isRepeated) {
      const verdict = await authenticate(token, isRepeated);
      if (verdict.outcome !== 'known') return verdict;
      return open(verdict.principal.userId, { method: 'token', ...boundsOf(token), former });
    },

    async withCode(code, former) {
      const hash = hashSecret(code);
      const left = await elsewhere.findLeft(hash);
      if (left) return left;
      const taken = isToken(code) ? await takeSignInCode(identities, hash) : undefined;
      if (!taken) return elsewhere.judgeUnknown(code);
      const { userId, tokenHash, sessionUntil: until } = taken;
      return open(userId, { method: 'code', tokenHash, until, former });
    },

    async withInvitation(code, name, former) {
      if (former !== undefined && (await sessions.isOpen(former)))
        throw new Conflict(
          'signed_in',
          'This browser is signed in already. Sign out first: an invitation makes a new user.',
        );
      const session = isToken(code)
        ? await runInTransaction(identities, async (trx) => {
            const user = await acceptInvitation(trx, hashSecret(code), name);
            return user && sessions.openIn(trx, user.id, { method: 'code', tokenHash: null, until: null, former });
          })
        : undefined;
      return session ? { outcome: 'known', session } : elsewhere.judgeUnknown(code);
    },

    async createCode(token) {
      const verdict = await authenticate(token);
      if (verdict.outcome !== 'known') return verdict;
      const code = newToken();
      const expiresAt = new Date(Date.now() + CODE_SECONDS * 1000);
      const { tokenHash, until: sessionUntil } = boundsOf(token);
      const { userId } = verdict.principal;
      await insertSignInCode(identities, { hash: hashSecret(code), userId, tokenHash, sessionUntil, expiresAt });
      return { outcome: 'known', code, expiresAt };
    },

    oidc: oidc && {
      begin: (redirectUri) => oidc.begin(redirectUri),
      async finish(ticket, callback, { former, voucher }) {
        const { verdict, validUntil: until = null } = await oidc.finish(ticket, callback, voucher);
        if (verdict.outcome !== 'known') return verdict;
        return open(verdict.principal.userId, { method: 'oidc', tokenHash: null, until, former });
      },
    },

    async signOut(secret) {
      await sessions.close(secret);
      onSignedOut();
    },
  };
}

/** Sign-in with the identity provider, by authorization code and PKCE. */
export type OidcSignIn = {
  /** The URL to send the browser to, and a ticket that it must bring back. */
  begin(redirectUri: string): Promise<StartedSignIn | { readonly outcome: 'provider-away' }>;
  /** `callback` is the full URL to which the provider sent the browser. */
  finish(ticket: string, callback: URL, voucher: string | undefined): Promise<DatedVerdict>;
};

export type StartedSignIn = { readonly outcome: 'started'; readonly url: string; readonly ticket: string };
