import type { IdentityDatabase } from '#store/identity-connection.ts';
import { createProvider, type OidcSettings } from './oidc-provider.ts';
import { createOidcSignIn, type OidcSignIn } from './oidc-sign-in.ts';
import { recogniseIdToken } from './recognise-id-token.ts';
import type { DatedVerdict } from './remember-verdicts.ts';

export type SingleSignOn = {
  readonly signIn: OidcSignIn;
  /** Whom a token of the identity provider stands for. */
  recognise(token: string): Promise<DatedVerdict>;
};

/** Everything about the identity provider. `auth.ts` loads it only when one is configured. */
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
