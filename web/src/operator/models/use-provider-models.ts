import type { ModelProvider, ProviderModel, Routes } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../client/client.ts';

const MODELS = ['provider-models'];
const PROVIDERS = ['providers'];

export const useProviders = () =>
  useQuery({ queryKey: PROVIDERS, queryFn: () => client.call('GET /api/settings/providers') });

export const useProviderModels = () =>
  useQuery({ queryKey: MODELS, queryFn: () => client.call('GET /api/settings/models') });

/** Everything on the screen that depends on which models there are. */
function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [PROVIDERS, MODELS, ['models'], ['settings'], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
}

export type PutProvider = { readonly name: string; readonly base_url?: string; readonly api_key?: string };

/** Stores a provider, once it has accepted the key. */
export function usePutProvider() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, ...body }: PutProvider) =>
      client.call('PUT /api/settings/providers/{name}', { params: { name }, body }),
    onSuccess: refresh,
  });
}

export function useRemoveProvider(name: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => client.call('DELETE /api/settings/providers/{name}', { params: { name } }),
    onSuccess: refresh,
  });
}

export function useCheckProvider(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationKey: ['check-provider', name],
    mutationFn: () => client.call('POST /api/settings/providers/{name}/check', { params: { name } }),
    onSuccess: (checked) => {
      queries.setQueryData<{ readonly providers: readonly ModelProvider[] }>(PROVIDERS, (shown) =>
        shown ? { ...shown, providers: shown.providers.map((each) => (each.name === name ? checked : each)) } : shown,
      );
      return queries.invalidateQueries({ queryKey: MODELS });
    },
  });
}

export type ModelChange = Omit<Routes['PATCH /api/settings/models']['body'], 'provider' | 'name'>;
type Change = { readonly model: ProviderModel; readonly change: ModelChange };

/** Adds a model that its provider does not list. */
export function useAddModel() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: Routes['PATCH /api/settings/models']['body']) =>
      client.call('PATCH /api/settings/models', { body }),
    onSuccess: refresh,
  });
}

/** Changes a model. The switch and the star show it at once, and go back if the service refuses. */
export function useChangeModel() {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ model, change }: Change) =>
      client.call('PATCH /api/settings/models', {
        body: { provider: model.provider ?? '', name: model.name, ...change },
      }),
    onMutate: async ({ model, change }) => {
      await queries.cancelQueries({ queryKey: MODELS });
      queries.setQueryData<{ readonly models: readonly ProviderModel[] }>(MODELS, (shown) =>
        shown ? { models: shown.models.map((each) => preview(each, model, change)) } : shown,
      );
    },
    onSettled: refresh,
  });
}

function preview(each: ProviderModel, model: ProviderModel, change: ModelChange): ProviderModel {
  if (isSameModel(each, model))
    return { ...each, on: change.default ?? change.on ?? each.on, default: change.default ?? each.default };
  return change.default ? { ...each, default: false } : each;
}

export const isSameModel = (one: ProviderModel, other: ProviderModel) =>
  one.provider === other.provider && one.name === other.name;
