import { createRemoteJWKSet, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import { allowInsecureRequests, type Configuration, clockTolerance, discovery } from 'openid-client';

export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly allowedDomains: readonly string[] | undefined;
};

/** The identity provider, contacted on first use, because it may be down during the start. */
export type Provider = {
  /** The provider's metadata. Throws `ProviderAway` when the provider can't be reached. */
  getConfiguration(): Promise<Configuration>;
  /** Finds a token's key. For an unknown key, the provider's keys are fetched again, because they may have changed. */
  readonly getKey: JWTVerifyGetKey;
};

type Found = { readonly configuration: Configuration; readonly keys: RemoteJWKSet };

export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

export const CLOCK_SKEW_SECONDS = 60;
const TIMEOUT_SECONDS = 5;
const REFRESH_MS = 3_600_000;
const COOLDOWN_MS = 5000;

/** `cooldownMs`: how long the provider is not contacted again after an unknown key or a failure. */
export function createProvider(
  settings: OidcSettings,
  onError: (error: unknown) => void,
  cooldownMs = COOLDOWN_MS,
): Provider {
  let known: { readonly found: Found; readonly until: number } | undefined;
  let finding: Promise<Found> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  /** Refreshed once an hour; if the provider does not answer then, the previous metadata stays in use. */
  async function find(): Promise<Found> {
    if (known && performance.now() < known.until) return known.found;
    try {
      finding ??= ask(() => discover(settings, cooldownMs));
      known = { found: await finding, until: performance.now() + REFRESH_MS };
    } catch (error) {
      if (!known) throw error;
    } finally {
      finding = undefined;
    }
    return known.found;
  }

  async function ask<T>(act: () => Promise<T>): Promise<T> {
    if (performance.now() - failedAt < cooldownMs)
      throw new ProviderAway(`${settings.issuer} did not answer a moment ago.`);
    return reach(act);
  }

  async function reach<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (isAboutKeys(error)) throw error;
      failedAt = performance.now();
      onError(error);
      throw new ProviderAway(`${settings.issuer} does not answer.`, { cause: error });
    }
  }

  return {
    getConfiguration: async () => (await find()).configuration,
    async getKey(header, token) {
      const { keys } = await find();
      const look = () => keys(header, token);
      return hasKey(keys, header.kid) ? reach(look) : ask(look); // a cached key works even while the provider is down
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings, cooldownMs: number): Promise<Found> {
  const client = { ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  const configuration = await discovery(
    new URL(issuer),
    clientId,
    { ...client, [clockTolerance]: CLOCK_SKEW_SECONDS },
    undefined,
    {
      timeout: TIMEOUT_SECONDS,
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated only as a warning; the operator has configured http://
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
    },
  );
  const { jwks_uri: uri } = configuration.serverMetadata();
  if (!uri) throw new Error(`The metadata of ${issuer} has no jwks_uri, so its tokens can't be checked.`);
  const options = { cooldownDuration: cooldownMs, timeoutDuration: TIMEOUT_SECONDS * 1000 };
  return { configuration, keys: createRemoteJWKSet(new URL(uri), options) };
}

const hasKey = (keys: RemoteJWKSet, kid: string | undefined) =>
  keys.fresh && keys.jwks()?.keys.some((key) => key.kid === kid) === true;

/** The provider answered; the token is at fault. */
const isAboutKeys = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
