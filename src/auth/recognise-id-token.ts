import type { IdentityDatabase } from '#store/identity-connection.ts';
import { admitOidcUser } from './admit-oidc-user.ts';
import { type OidcSettings, type Provider, ProviderAway } from './oidc-provider.ts';
import type { DatedVerdict } from './remember-verdicts.ts';
import { verifyIdToken } from './verify-id-token.ts';

/** Whom a token of the identity provider stands for. */
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
