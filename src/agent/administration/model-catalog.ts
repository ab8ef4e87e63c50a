import type { KeyFor } from '#models/bound-keys.ts';
import type { ModelDescription } from '#models/describe-model.ts';
import { isPublicProvider, KEY_VARIABLES, type ModelRoute } from '#models/model-route.ts';
import { DEFAULT } from '#models/model-routes.ts';
import { type ModelSettings, modelKey, withPrice } from './model-settings.ts';

export type ModelCatalog = ReturnType<typeof createModelCatalog>;

/** A model that a message can name. */
export type OfferedModel = ModelDescription & {
  /** The name of its route, or `default`. */
  readonly id: string;
  /** The route that is the default model now; null if it is the configured model. For other models, their id. */
  readonly route: string | null;
  readonly provider: ModelRoute['provider'];
  readonly name: string;
  /** Why it can't answer, and what to do; null when it can. */
  readonly problem: string | null;
};

/** The models that every user may choose from. */
export function createModelCatalog(parts: {
  readonly settings: ModelSettings;
  readonly configured: ModelRoute;
  readonly apiKeyFor: KeyFor;
}) {
  const { settings, configured, apiKeyFor } = parts;

  async function findDefault(): Promise<ModelRoute> {
    const [routes, name] = await Promise.all([settings.readRoutes(), settings.readDefaultRoute()]);
    return (name !== null && routes[name]) || withPrice(configured, await settings.readPrices());
  }

  return {
    findDefault,

    /** The default model first, then the other routes by name. No model is listed twice under the same settings. */
    async list(): Promise<OfferedModel[]> {
      // Loaded on first use, because it imports the catalogue of all models.
      const { describeModel } = await import('#models/describe-model.ts');
      const routes = Object.entries(await settings.readRoutes()).toSorted(([one], [other]) =>
        one.localeCompare(other, 'en'),
      );
      const usual = await findDefault();
      const isUsual = (route: ModelRoute) => modelKey(route) === modelKey(usual);
      const all: [string, ModelRoute][] = [
        [DEFAULT, usual],
        ...routes.filter(([id, route]) => id !== DEFAULT && !isUsual(route)),
      ];
      const usualName = routes.find(([, route]) => isUsual(route))?.[0] ?? null;
      return Promise.all(
        all.map(async ([id, route]) => ({
          id,
          route: id === DEFAULT ? usualName : id,
          provider: route.provider,
          name: route.name,
          problem: await findProblem(route),
          ...describeModel(route),
        })),
      );
    },
  };

  async function findProblem(route: ModelRoute): Promise<string | null> {
    const { provider } = route;
    if (!isPublicProvider(provider) || (route.apiKey ?? (await apiKeyFor(route))) !== undefined) return null;
    return `The key for ${provider} is missing. The operator adds it under Models, or sets ${KEY_VARIABLES[provider]}.`;
  }
}
