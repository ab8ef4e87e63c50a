import type { ModelProvider, ModelRoute } from './model-route.ts';

export type KeyFor = (route: Pick<ModelRoute, 'provider' | 'baseUrl'>) => string | undefined;

type Configured = {
  readonly provider: ModelProvider;
  readonly baseUrl: string | undefined;
  readonly apiKeys: Partial<Record<ModelProvider, string | undefined>>;
};

/**
 * A key is sent only to the address it was configured for: LLM_BASE_URL for the provider of LLM_PROVIDER, otherwise the
 * provider's default address. A session can set the address of a route, but must not obtain a key that way.
 */
export function createKeyLookup({ provider, baseUrl, apiKeys }: Configured): KeyFor {
  return (route) => {
    const bound = route.provider === provider ? baseUrl : undefined;
    return originOf(route.provider, route.baseUrl) === originOf(route.provider, bound)
      ? apiKeys[route.provider]
      : undefined;
  };
}

const USUAL: Partial<Record<ModelProvider, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
};

const originOf = (provider: ModelProvider, baseUrl: string | undefined) =>
  baseUrl === undefined ? USUAL[provider] : new URL(baseUrl).origin;
