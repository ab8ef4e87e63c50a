import type { IdentityDatabase } from '#store/identity-connection.ts';
import type { OidcSignIn } from '../sign-in.ts';
import type { Elsewhere } from '../tokens/elsewhere.ts';
import type { DatedVerdict } from '../tokens/remember-verdicts.ts';
import { type Admit, admitOidcUser } from './admit-oidc-user.ts';
import { createProvider, type OidcSettings, type Provider, ProviderAway } from './oidc-provider.ts';
import { createOidcSignIn } from './oidc-sign-in.ts';
import { createPlacing, type PlacementSettings } from './place-user.ts';
import { verifyIdToken } from './verify-id-token.ts';

export type SingleSignOn = {
  readonly signIn: OidcSignIn;
  /** Authenticates a token of the identity provider. */
  recognise(token: string, voucher?: 'repeated'): Promise<DatedVerdict>;
};

export type SingleSignOnParts = {
  readonly identities: IdentityDatabase;
  readonly settings: OidcSettings;
  readonly elsewhere: Elsewhere;
  readonly placement: PlacementSettings | undefined;
  readonly onError: (error: unknown) => void;
};

/** Everything that needs the identity provider. `auth.ts` loads it only when one is configured. */
export function createSingleSignOn(parts: SingleSignOnParts): SingleSignOn {
  const { identities, settings, elsewhere, onError } = parts;
  const provider = createProvider(settings, onError);
  const placing = parts.placement && createPlacing(identities, parts.placement);
  const { allowedDomains } = settings;
  const admit: Admit = (claims, voucher) =>
    admitOidcUser({ db: identities, elsewhere, allowedDomains, placing }, claims, voucher);
  return {
    signIn: createOidcSignIn(provider, settings, admit, identities),
    recognise: (token, voucher) => recogniseIdToken(provider, settings, (claims) => admit(claims, voucher), token),
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
