import type { KeyFor } from '#models/bound-keys.ts';
import type { ModelDescription } from '#models/describe-model.ts';
import { isPublicProvider, KEY_VARIABLES, type ModelRoute } from '#models/model-route.ts';
import { DEFAULT } from '#models/model-routes.ts';
import type { ModelSettings } from './model-settings.ts';

export type ModelCatalog = ReturnType<typeof createModelCatalog>;

/** A model that a message can name. */
export type OfferedModel = ModelDescription & {
  /** The name of its route, or `default`. */
  readonly id: string;
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
    return (name !== null && routes[name]) || configured;
  }

  return {
    findDefault,

    /** The default model first, then the routes by name. */
    async list(): Promise<OfferedModel[]> {
      // Loaded on first use, because it imports the catalogue of all models.
      const { describeModel } = await import('#models/describe-model.ts');
      const routes = Object.entries(await settings.readRoutes()).toSorted(([one], [other]) =>
        one.localeCompare(other, 'en'),
      );
      const all: [string, ModelRoute][] = [[DEFAULT, await findDefault()], ...routes.filter(([id]) => id !== DEFAULT)];
      return Promise.all(
        all.map(async ([id, route]) => ({
          id,
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
