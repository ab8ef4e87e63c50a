import type { IdentityDatabase } from '#store/identity-connection.ts';
import type { OidcSignIn } from '../sign-in.ts';
import type { DatedVerdict } from '../tokens/remember-verdicts.ts';
import { admitOidcUser } from './admit-oidc-user.ts';
import { createProvider, type OidcSettings, type Provider, ProviderAway } from './oidc-provider.ts';
import { createOidcSignIn } from './oidc-sign-in.ts';
import { verifyIdToken } from './verify-id-token.ts';

export type SingleSignOn = {
  readonly signIn: OidcSignIn;
  /** Authenticates a token of the identity provider. */
  recognise(token: string): Promise<DatedVerdict>;
};

/** Everything that needs the identity provider. `auth.ts` loads it only when one is configured. */
export function createSingleSignOn(
  identities: IdentityDatabase,
  settings: OidcSettings,
  onError: (error: unknown) => void,
): SingleSignOn {
  const provider = createProvider(settings, onError);
  return {
    signIn: createOidcSignIn(identities, provider, settings),
    recognise: (token) => recogniseIdToken(identities, provider, settings, token),
  };
}

/** Authenticates a token of the identity provider. */
export async function recogniseIdToken(
  db: IdentityDatabase,
  provider: Provider,
  settings: OidcSettings,
  token: string,
): Promise<DatedVerdict> {
  try {
    const verified = await verifyIdToken(provider, settings, token);
    if (!verified) return { verdict: { outcome: 'unknown' } };
    const verdict = await admitOidcUser(db, settings.allowedDomains, verified.claims);
    return { verdict, validUntil: verified.validUntil };
  } catch (error) {
    if (error instanceof ProviderAway) return { verdict: { outcome: 'provider-away' } };
    throw error;
  }
}
