import type { Principal } from '#domain/principal.ts';
import { isSameAddress } from '#models/bound-keys.ts';
import type { ModelPrice, ModelRoute } from '#models/model-route.ts';
import { presetOf, recommendedOf } from '#models/provider-presets.ts';
import { listModels, type ModelParts, type ProviderModel, toRoute } from './list-models.ts';
import type { ProviderChange } from './stored-providers.ts';
import { createModelSwitch, type ModelFacts, withoutRoutes } from './switch-models.ts';

export type ProviderModels = ReturnType<typeof createProviderModels>;

export type ModelChange = ModelFacts & {
  readonly isOn?: boolean | undefined;
  readonly isDefault?: true | undefined;
  /** null for the known one. */
  readonly price?: ModelPrice | null | undefined;
};

/** The models of all providers, and what the operator changes about them. */
export function createProviderModels(parts: ModelParts) {
  const { providers, settings, configured } = parts;
  const models = createModelSwitch(settings, configured);

  /** A model that its provider lists, or that is added by name. Throws unless the actor is an operator. */
  async function findModel(actor: Principal, providerName: string, name: string): Promise<ModelRoute> {
    const provider = await providers.get(actor, providerName);
    const known = provider.check?.models.find(({ id }) => id === name);
    return toRoute(provider, known ?? { id: name, contextTokens: null, reads: null });
  }

  return {
    list: (actor: Principal): Promise<ProviderModel[]> => listModels(parts, actor),

    async change(actor: Principal, provider: string, name: string, change: ModelChange): Promise<void> {
      const model = await findModel(actor, provider, name);
      const { userId } = actor;
      if (change.isOn) await models.switchOn(userId, provider, model);
      if (change.isDefault) await models.makeDefault(userId, provider, model);
      if (change.price !== undefined) await settings.writePrice(model, change.price, userId);
      if (change.contextTokens !== undefined || change.reads !== undefined)
        await models.describe(userId, model, change);
      if (change.isOn === false) await models.switchOff(userId, model);
    },

    /** Adds a provider. If none of its models is on, its recommended one is, and it replaces the demo model as the default. */
    async addProvider(actor: Principal, name: string, change: ProviderChange): Promise<void> {
      await providers.put(actor, name, change);
      const provider = await providers.get(actor, name);
      if (Object.values(await settings.readRoutes()).some((route) => isSameAddress(route, provider))) return;
      const listed = (provider.check?.models ?? []).map(({ id }) => id);
      const recommended = recommendedOf(presetOf(provider), listed);
      if (recommended === undefined) return;
      const model = await findModel(actor, name, recommended);
      const isDemo = configured.provider === 'demo' && (await settings.readDefaultRoute()) === null;
      if (isDemo) await models.makeDefault(actor.userId, name, model);
      else await models.switchOn(actor.userId, name, model);
    },

    /** Removes a provider. Without another key, its models are removed as well. */
    async removeProvider(actor: Principal, name: string): Promise<void> {
      const provider = await providers.get(actor, name);
      await providers.remove(actor, name);
      if ((await providers.list(actor)).some((other) => isSameAddress(other, provider))) return;
      const isGone = (route: ModelRoute | undefined) => route !== undefined && isSameAddress(route, provider);
      const [usual, routes] = [await settings.readDefaultRoute(), await settings.readRoutes()];
      if (usual !== null && isGone(routes[usual])) await settings.writeDefaultRoute(null, actor.userId);
      await settings.changeRoutes(
        (before) =>
          withoutRoutes(
            before,
            Object.keys(before).filter((route) => isGone(before[route])),
          ),
        actor.userId,
      );
    },
  };
}
