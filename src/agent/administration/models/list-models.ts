import type { Principal } from '#domain/principal.ts';
import { isSameAddress } from '#models/bound-keys.ts';
import type { ModelDescription } from '#models/describe-model.ts';
import type { ListedModel } from '#models/list-models.ts';
import type { ModelRoute } from '#models/model-route.ts';
import type { ListedProvider, ModelProviders } from './model-providers.ts';
import { type ModelSettings, modelKey, withPrice } from './model-settings.ts';
import { addressOf } from './stored-providers.ts';

/** A model of a provider, whether people can choose it or not. */
export type ProviderModel = ModelDescription & {
  /** The name of its provider; null for the demo model. */
  readonly provider: string | null;
  /** Its name at the provider. */
  readonly name: string;
  /** The route that makes it available; null while it is off, and for the configured model. */
  readonly route: string | null;
  readonly isOn: boolean;
  /** Whether it answers messages that name no other. */
  readonly isDefault: boolean;
  readonly isPriceSet: boolean;
};

export type ModelParts = {
  readonly providers: ModelProviders;
  readonly settings: ModelSettings;
  readonly configured: ModelRoute;
};

/** All models of all providers, each once: those that a provider lists, and those that were added by name. */
export async function listModels({ providers, settings, configured }: ModelParts, actor: Principal) {
  const all = await providers.list(actor);
  const routes = await settings.readRoutes();
  const describe = await createDescriber(settings, configured);
  const added = [...Object.values(routes), configured];
  const listed = new Map<string, ProviderModel>();
  for (const provider of all)
    for (const model of modelsOf(provider, added))
      if (!listed.has(modelKey(model))) listed.set(modelKey(model), describe(provider.name, model));
  const demo = describe(null, configured);
  return configured.provider === 'demo' && demo.isDefault ? [demo, ...listed.values()] : [...listed.values()];
}

async function createDescriber(settings: ModelSettings, configured: ModelRoute) {
  // Loaded on first use, because it imports the catalogue of all models.
  const { describeModel } = await import('#models/describe-model.ts');
  const [routes, usualName, prices] = await Promise.all([
    settings.readRoutes(),
    settings.readDefaultRoute(),
    settings.readPrices(),
  ]);
  const names = new Map(Object.entries(routes).map(([name, route]) => [modelKey(route), name]));
  const usual = modelKey((usualName !== null && routes[usualName]) || configured);
  return (provider: string | null, listed: ModelRoute): ProviderModel => {
    const route = names.get(modelKey(listed)) ?? null;
    const model = withPrice((route !== null && routes[route]) || listed, prices);
    const isDefault = modelKey(model) === usual;
    return {
      provider,
      name: model.name,
      route,
      isOn: route !== null || isDefault,
      isDefault,
      isPriceSet: model.price !== undefined,
      ...describeModel(model),
    };
  };
}

/** What the provider lists, and what was added by name. */
const modelsOf = (provider: ListedProvider, added: readonly ModelRoute[]): ModelRoute[] => [
  ...(provider.check?.models ?? []).map((model) => toRoute(provider, model)),
  ...added.filter((route) => isSameAddress(route, provider)),
];

/** A window below 1000 tokens, which some servers report for models that do not chat, is not a limit. */
export const toRoute = (provider: ListedProvider, { id, contextTokens, reads }: ListedModel): ModelRoute => ({
  ...addressOf(provider),
  name: id,
  ...(contextTokens !== null && { contextTokens: Math.max(1000, contextTokens) }),
  ...(reads !== null && { reads }),
});
