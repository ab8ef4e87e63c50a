import { isPublicProvider, type ModelProvider, type ModelRoute } from './model-route.ts';

/** The key for a route; undefined if there is none for its address. */
export type KeyFor = (route: Address) => Promise<string | undefined>;

/** Where a key may be sent. */
export type Address = Pick<ModelRoute, 'provider' | 'baseUrl'>;

type Configured = {
  readonly provider: ModelProvider;
  readonly baseUrl: string | undefined;
  readonly apiKeys: Partial<Record<ModelProvider, string | undefined>>;
};

/**
 * A key is sent only to the address it was configured for: LLM_BASE_URL for the provider of LLM_PROVIDER, otherwise the
 * provider's default address. A session can set the address of a route, but must not obtain a key that way.
 */
export function createKeyLookup({ provider, baseUrl, apiKeys }: Configured): (route: Address) => string | undefined {
  return (route) => {
    const bound = { provider: route.provider, baseUrl: route.provider === provider ? baseUrl : undefined };
    return isSameAddress(route, bound) ? apiKeys[route.provider] : undefined;
  };
}

export const isSameAddress = (one: Address, other: Address): boolean =>
  one.provider === other.provider && originOf(one) === originOf(other);

/** The usual addresses of the APIs. */
export const BASE_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const satisfies Partial<Record<ModelProvider, string>>;

/** Where its requests go; undefined for a server whose address is missing. */
export const baseUrlOf = ({ provider, baseUrl }: Address): string | undefined =>
  baseUrl ?? (isPublicProvider(provider) ? BASE_URLS[provider] : undefined);

export function originOf(address: Address): string | undefined {
  const baseUrl = baseUrlOf(address);
  return baseUrl === undefined ? undefined : new URL(baseUrl).origin;
}
