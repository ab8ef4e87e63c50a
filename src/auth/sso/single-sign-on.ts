import type { IdentityDatabase } from '#store/identity-connection.ts';
import type { OidcSignIn } from '../sign-in.ts';
import type { Elsewhere } from '../tokens/elsewhere.ts';
import type { DatedVerdict } from '../tokens/remember-verdicts.ts';
import { type Admit, admitOidcUser } from './admit-oidc-user.ts';
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
  elsewhere: Elsewhere,
  onError: (error: unknown) => void,
): SingleSignOn {
  const provider = createProvider(settings, onError);
  const admit: Admit = (claims) => admitOidcUser(identities, elsewhere, settings.allowedDomains, claims);
  return {
    signIn: createOidcSignIn(provider, settings, admit, identities),
    recognise: (token) => recogniseIdToken(provider, settings, admit, token),
  };
}

/** Authenticates a token of the identity provider. */
export async function recogniseIdToken(
  provider: Provider,
  settings: OidcSettings,
  admit: Admit,
  token: string,
): Promise<DatedVerdict> {
  try {
    const verified = await verifyIdToken(provider, settings, token);
    if (!verified) return { verdict: { outcome: 'unknown' } };
    const verdict = await admit(verified.claims);
    return { verdict, validUntil: verified.validUntil };
  } catch (error) {
    if (error instanceof ProviderAway) return { verdict: { outcome: 'provider-away' } };
    throw error;
  }
}
