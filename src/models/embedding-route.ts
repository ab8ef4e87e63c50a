import type { ModelProvider, ModelRoute } from './model-route.ts';

/** Providers that have embedding models. */
export type EmbeddingProvider = Extract<ModelProvider, 'openai' | 'google' | 'openai-compatible'>;

export type EmbeddingRoute = ModelRoute & { readonly provider: EmbeddingProvider };

type Configured = {
  readonly provider: ModelProvider;
  readonly baseUrl: string | undefined;
  readonly apiKeys: Partial<Record<ModelProvider, string | undefined>>;
};

/** The provider for embeddings: the chat model's if possible, or else one that has a key. Undefined if there is none. */
export function findEmbeddingRoute(
  { provider, baseUrl, apiKeys }: Configured,
  name: string,
): EmbeddingRoute | undefined {
  if (provider === 'openai' || provider === 'google' || provider === 'openai-compatible')
    return { provider, name, baseUrl, apiKey: apiKeys[provider] };

  const other = (['openai', 'google'] as const).find((candidate) => apiKeys[candidate]);
  return other && { provider: other, name, apiKey: apiKeys[other] };
}
