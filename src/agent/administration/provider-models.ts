import { InvalidRequest } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { isSameAddress } from '#models/bound-keys.ts';
import type { ModelDescription } from '#models/describe-model.ts';
import type { ListedModel } from '#models/list-models.ts';
import type { ModelPrice, ModelRoute } from '#models/model-route.ts';
import { DEFAULT } from '#models/model-routes.ts';
import { presetOf, recommendedOf } from '#models/provider-presets.ts';
import type { ListedProvider, ModelProviders } from './model-providers.ts';
import { type ModelSettings, modelKey, withPrice } from './model-settings.ts';
import { addressOf, type ProviderChange } from './stored-providers.ts';

export type ProviderModels = ReturnType<typeof createProviderModels>;

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

export type ModelChange = {
  readonly isOn?: boolean | undefined;
  readonly isDefault?: true | undefined;
  /** null for the known one. */
  readonly price?: ModelPrice | null | undefined;
  readonly contextTokens?: number | null | undefined;
  readonly reads?: ListedModel['reads'] | undefined;
};

type Routes = Readonly<Record<string, ModelRoute>>;

type Parts = {
  readonly providers: ModelProviders;
  readonly settings: ModelSettings;
  readonly configured: ModelRoute;
};

/** All models of all providers in one list, each once, and what the operator changes about them. */
export function createProviderModels({ providers, settings, configured }: Parts) {
  async function list(actor: Principal): Promise<ProviderModel[]> {
    requireOperator(actor);
    const [all, routes, defaultRoute, prices, { describeModel }] = await Promise.all([
      providers.list(actor),
      settings.readRoutes(),
      settings.readDefaultRoute(),
      settings.readPrices(),
      import('#models/describe-model.ts'),
    ]);
    const usual = (defaultRoute !== null && routes[defaultRoute]) || configured;
    const routeNames = new Map(Object.entries(routes).map(([name, route]) => [modelKey(route), name]));
    const describe = (provider: string | null, listed: ModelRoute): ProviderModel => {
      const route = routeNames.get(modelKey(listed)) ?? null;
      const model = withPrice((route !== null && routes[route]) || listed, prices);
      const isDefault = isSameModel(model, usual);
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
    const added = [...Object.values(routes), configured];
    const listed = new Map<string, ProviderModel>();
    for (const provider of all)
      for (const model of modelsOf(provider, added))
        if (!listed.has(modelKey(model))) listed.set(modelKey(model), describe(provider.name, model));
    return usual.provider === 'demo' ? [describe(null, usual), ...listed.values()] : [...listed.values()];
  }

  async function findModel(actor: Principal, providerName: string, name: string): Promise<ModelRoute> {
    const provider = await providers.get(actor, providerName);
    const known = provider.check?.models.find(({ id }) => id === name);
    return toRoute(provider, known ?? { id: name, contextTokens: null, reads: null });
  }

  const switchOn = (actor: Principal, provider: string, model: ModelRoute): Promise<Routes> =>
    settings.changeRoutes(
      (routes) =>
        routeOf(routes, model) === null
          ? { ...routes, [freeName([DEFAULT, configured.name, ...Object.keys(routes)], provider, model)]: model }
          : routes,
      actor.userId,
    );

  async function switchOff(actor: Principal, model: ModelRoute): Promise<void> {
    const usual = await settings.readDefaultRoute();
    await settings.changeRoutes((routes) => {
      const off = Object.keys(routes).filter((name) => isSameModel(routes[name], model));
      if (usual !== null && off.includes(usual))
        throw new InvalidRequest('invalid_request', 'on', 'The default model stays on. Choose another default first.');
      return withoutRoutes(routes, off);
    }, actor.userId);
  }

  async function makeDefault(actor: Principal, provider: string, model: ModelRoute): Promise<void> {
    const isConfigured = isSameModel(model, configured);
    const route = isConfigured ? null : routeOf(await switchOn(actor, provider, model), model);
    await settings.writeDefaultRoute(route, actor.userId);
  }

  const describeRoute = (actor: Principal, model: ModelRoute, change: ModelChange): Promise<Routes> =>
    settings.changeRoutes((routes) => {
      const name = routeOf(routes, model);
      const before = name === null ? undefined : routes[name];
      if (name === null || !before)
        throw new InvalidRequest('invalid_request', null, 'Switch the model on before you change it.');
      const { contextTokens = before.contextTokens, reads = before.reads } = change;
      return { ...routes, [name]: { ...before, contextTokens: contextTokens ?? undefined, reads: reads ?? undefined } };
    }, actor.userId);

  return {
    list,

    async change(actor: Principal, provider: string, name: string, change: ModelChange): Promise<void> {
      const model = await findModel(actor, provider, name);
      if (change.isOn) await switchOn(actor, provider, model);
      if (change.isDefault) await makeDefault(actor, provider, model);
      if (change.price !== undefined) await settings.writePrice(model, change.price, actor.userId);
      if (change.contextTokens !== undefined || change.reads !== undefined) await describeRoute(actor, model, change);
      if (change.isOn === false) await switchOff(actor, model);
    },

    /** Adds a provider. If none of its models is on, its recommended one is, and it replaces the demo model as the default. */
    async addProvider(actor: Principal, name: string, change: ProviderChange): Promise<void> {
      await providers.put(actor, name, change);
      const provider = await providers.get(actor, name);
      const routes = await settings.readRoutes();
      if (Object.values(routes).some((route) => isSameAddress(route, provider))) return;
      const listed = provider.check?.models ?? [];
      const recommended = recommendedOf(
        presetOf(provider),
        listed.map(({ id }) => id),
      );
      if (recommended === undefined) return;
      const model = await findModel(actor, name, recommended);
      const usual = await settings.readDefaultRoute();
      if (configured.provider === 'demo' && usual === null) await makeDefault(actor, name, model);
      else await switchOn(actor, name, model);
    },

    /** Removes a provider. Without another key, its models are removed as well. */
    async removeProvider(actor: Principal, name: string): Promise<void> {
      const provider = await providers.get(actor, name);
      await providers.remove(actor, name);
      if ((await providers.list(actor)).some((other) => isSameAddress(other, provider))) return;
      const usual = await settings.readDefaultRoute();
      const routes = await settings.readRoutes();
      if (usual !== null && routes[usual] && isSameAddress(routes[usual], provider))
        await settings.writeDefaultRoute(null, actor.userId);
      await settings.changeRoutes((before) => {
        const gone = Object.entries(before).filter(([, route]) => isSameAddress(route, provider));
        return withoutRoutes(
          before,
          gone.map(([route]) => route),
        );
      }, actor.userId);
    },
  };
}

/** What the provider lists, and what was added by name. */
const modelsOf = (provider: ListedProvider, added: readonly ModelRoute[]): ModelRoute[] => [
  ...(provider.check?.models ?? []).map((model) => toRoute(provider, model)),
  ...added.filter((route) => isSameAddress(route, provider)),
];

/** A window below 1000 tokens, which some servers report for models that do not chat, is no limit. */
const toRoute = (provider: ListedProvider, { id, contextTokens, reads }: ListedModel): ModelRoute => ({
  ...addressOf(provider),
  name: id,
  ...(contextTokens !== null && { contextTokens: Math.max(1000, contextTokens) }),
  ...(reads !== null && { reads }),
});

const isSameModel = (one: ModelRoute | undefined, other: ModelRoute): boolean =>
  one !== undefined && modelKey(one) === modelKey(other);

const routeOf = (routes: Routes, model: ModelRoute): string | null =>
  Object.keys(routes).find((name) => isSameModel(routes[name], model)) ?? null;

/** Its own name, unless a model of another provider has it. */
function freeName(taken: readonly string[], provider: string, { name }: ModelRoute): string {
  return taken.includes(name) ? `${provider}/${name}` : name;
}

/** Without these routes, also as fallbacks of the others. */
function withoutRoutes(routes: Routes, gone: readonly string[]): Routes {
  const kept = Object.entries(routes).filter(([name]) => !gone.includes(name));
  return Object.fromEntries(
    kept.map(([name, { fallback, ...route }]) => {
      const others = fallback?.filter((each) => !gone.includes(each));
      return [name, { ...route, ...(others?.length && { fallback: others }) }];
    }),
  );
}
