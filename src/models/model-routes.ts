import { z } from 'zod';
import type { KeyFor } from './bound-keys.ts';
import { type Model, ModelFailure } from './model.ts';
import { MODEL_PROVIDERS, type ModelRoute } from './model-route.ts';
import type { createModel } from './provider/create-model.ts';

export type Models = {
  /**
   * The model for a request and its fallbacks. The request's `model` is a hint: if it is the name of a route, that route is
   * used, otherwise the default.
   */
  find(hint: string | null): Promise<ModelChain>;
};

/** A route's model, followed by its fallbacks in order. */
export type ModelChain = readonly [Model, ...Model[]];

/** The name of the default model, in a fallback list and as a choice. */
export const DEFAULT = 'default';

type ModelsOptions = {
  readonly default: () => Promise<ModelRoute>;
  readonly routes: () => Promise<Readonly<Record<string, ModelRoute>>>;
  /** The name of the route that answers instead of `default`, if the operator has chosen one. */
  readonly defaultRoute?: () => Promise<string | null>;
  /** The routes to ask when a route without its own fallbacks fails. */
  readonly fallbacks?: () => Promise<readonly string[]>;
  readonly apiKeyFor: KeyFor;
};

export function createModels(options: ModelsOptions): Models {
  const models = new Map<string, Model>();

  const modelAt = async (route: ModelRoute, create: typeof createModel): Promise<Model> => {
    const complete = { ...route, apiKey: route.apiKey ?? (await options.apiKeyFor(route)) };
    const key = JSON.stringify([
      complete.provider,
      complete.name,
      complete.baseUrl,
      complete.apiKey,
      complete.contextTokens,
      complete.price,
    ]);
    const model = models.get(key) ?? create(complete);
    models.set(key, model);
    return model;
  };

  return {
    find: async (hint) => {
      // Loaded with the first turn, because it imports the catalogue of all models and their prices.
      const { createModel: create } = await import('./provider/create-model.ts');
      const [routes, usual, configured, order] = await Promise.all([
        options.routes(),
        options.defaultRoute?.() ?? null,
        options.default(),
        options.fallbacks?.() ?? [],
      ]);
      const routeNamed = (name: string | null) =>
        name !== null && Object.hasOwn(routes, name) ? routes[name] : undefined;
      const first = routeNamed(hint) ?? routeNamed(usual) ?? configured;
      const others = first.fallback?.length ? first.fallback : order.filter((name) => routes[name] !== first);
      const fallbacks = others.map(async (name) => {
        const route = routeNamed(name) ?? (name === DEFAULT ? configured : undefined);
        return route ? modelAt(route, create) : createMissingModel(name, create);
      });
      return [await modelAt(first, create), ...(await Promise.all(fallbacks))];
    },
  };
}

/** A fallback whose route was removed: the turn fails with a message, instead of silently skipping the fallback. */
function createMissingModel(name: string, create: typeof createModel): Model {
  const message = `The fallback route "${name}" does not exist. Add it to the model routes, or remove it from the fallback list.`;
  return {
    ...create({ provider: 'demo', name }),
    name,
    ask: async () => {
      throw new ModelFailure('model_not_configured', message, { remedy: 'ask-another' });
    },
  };
}

// No apiKey, because settings are visible to everyone who may read them.
const storedRouteSchema = z
  .strictObject(
    {
      provider: z.enum(MODEL_PROVIDERS, { error: `provider must be one of ${MODEL_PROVIDERS.join(', ')}` }),
      name: z.string('name must be the name of a model').min(1, 'name must be the name of a model'),
      baseUrl: z.url({ protocol: /^https?$/, error: 'baseUrl must be an http or https address' }).optional(),
      contextTokens: z
        .int('contextTokens must be a number of tokens')
        .min(1000, 'contextTokens must be at least 1000')
        .optional(),
      reads: z.array(z.enum(['image', 'pdf'])).optional(),
      fallback: z.array(z.string().min(1), 'fallback must be a list of route names').optional(),
    },
    { error: describeUnknownKeys },
  )
  .refine((route) => route.provider !== 'openai-compatible' || route.baseUrl !== undefined, {
    path: ['baseUrl'],
    error: 'an openai-compatible route needs a baseUrl',
  });

/** The stored setting: routes by the name used as a request's `model`. */
export const modelRoutesSchema = z.record(z.string().min(1), storedRouteSchema);

/** The first invalid fallback, with its route and a message; undefined when all are valid. */
export function findWrongFallback(
  routes: Readonly<Record<string, ModelRoute>>,
): { readonly route: string; readonly message: string } | undefined {
  for (const [route, { fallback = [] }] of Object.entries(routes)) {
    if (fallback.includes(route)) return { route, message: 'A route cannot be its own fallback.' };
    const missing = fallback.find((name) => name !== DEFAULT && !Object.hasOwn(routes, name));
    if (missing !== undefined) return { route, message: `The fallback route "${missing}" does not exist.` };
  }
  return undefined;
}

function describeUnknownKeys(issue: { readonly code?: string; readonly keys?: unknown }): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const keys = Array.isArray(issue.keys) ? issue.keys.join(', ') : '';
  const hint = keys.includes('apiKey') ? '; keys are not kept in settings' : '';
  return `unknown key ${keys}: a route has provider, name, baseUrl, contextTokens, reads and fallback${hint}`;
}
