import { plural, t } from '@lingui/core/macro';
import type { ModelProvider } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { wordsOf } from '../parts/error-words.ts';

/** What a provider offers. One without its key is not asked. */
export function useProviderModels(provider: ModelProvider | undefined) {
  const name = provider?.name ?? '';
  const canAsk = provider !== undefined && (provider.key_source !== null || provider.kind === 'openai-compatible');
  return useQuery({
    queryKey: ['provider-models', name, provider?.key_source, provider?.base_url],
    queryFn: () => client.call('GET /api/settings/providers/{name}/models', { params: { name } }),
    enabled: canAsk,
    retry: false,
    staleTime: 60_000,
  });
}

export function describeOffer({ data, error, isFetching }: ReturnType<typeof useProviderModels>): string {
  if (isFetching) return t`Asking for its models`;
  if (error) return wordsOf(error);
  return data ? plural(data.models.length, { one: '# model to choose from', other: '# models to choose from' }) : '';
}
