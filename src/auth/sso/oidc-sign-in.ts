import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { carryCell } from '#domain/cell/cell.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { insertSignIn, type PendingSignIn, takeSignIn } from '#store/accounts/sign-ins.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import { type OidcSignIn, TICKET_SECONDS } from '../sign-in.ts';
import { newToken } from '../tokens/operator-token.ts';
import type { Admit } from './admit-oidc-user.ts';
import { type OidcSettings, type Provider, ProviderAway } from './oidc-provider.ts';
import { toClaims, type VerifiedToken, verifyIdToken } from './verify-id-token.ts';

export function createOidcSignIn(
  provider: Provider,
  settings: OidcSettings,
  admit: Admit,
  db: IdentityDatabase,
): OidcSignIn {
  async function redeem(pending: PendingSignIn, callback: URL): Promise<VerifiedToken | undefined> {
    const configuration = await provider.getConfiguration();
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
    });
    const verified = await verifyIdToken(provider, settings, tokens.id_token ?? '');
    const { issuer, userinfo_endpoint: more } = configuration.serverMetadata();
    if (!verified || verified.claims.email !== undefined || !more) return verified;
    const userInfo = await fetchUserInfo(configuration, tokens.access_token, verified.claims.subject);
    return { ...verified, claims: toClaims(userInfo, issuer) };
  }

  return {
    async begin(redirectUri) {
      const ticket = newToken();
      const pending = { state: carryCell(randomState()), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      try {
        const url = buildAuthorizationUrl(await provider.getConfiguration(), {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        });
        await insertSignIn(db, hashSecret(ticket), pending, new Date(Date.now() + TICKET_SECONDS * 1000));
        return { outcome: 'started', url: url.href, ticket };
      } catch (error) {
        if (isAway(error)) return { outcome: 'provider-away' };
        throw error;
      }
    },

    async finish(ticket, callback, voucher) {
      const pending = await takeSignIn(db, hashSecret(ticket));
      if (!pending) return { verdict: { outcome: 'unknown' } };
      try {
        const verified = await redeem(pending, callback);
        if (!verified) return { verdict: { outcome: 'unknown' } };
        const verdict = await admit(verified.claims, voucher === undefined ? undefined : { signed: voucher });
        return { verdict, validUntil: verified.validUntil };
      } catch (error) {
        if (isAway(error)) return { verdict: { outcome: 'provider-away' } };
        if (isRefusal(error)) return { verdict: { outcome: 'unknown' } };
        throw error;
      }
    },
  };
}

/** A fetch without an answer is a TypeError; one that timed out is a ClientError with this code. */
const isAway = (error: unknown) =>
  error instanceof ProviderAway ||
  (error instanceof TypeError && error.message === 'fetch failed') ||
  (error instanceof ClientError && error.code === 'OAUTH_TIMEOUT');

const isRefusal = (error: unknown) =>
  error instanceof ClientError || error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
