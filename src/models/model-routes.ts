import { z } from 'zod';
import { createModel } from './create-model.ts';
import type { Model } from './model.ts';
import { MODEL_PROVIDERS, type ModelProvider, type ModelRoute } from './model-route.ts';
import type { PriceOverrides } from './price.ts';

export type Models = {
  /** The model for a request. Its `model` is a hint: the name of a route, or the default is taken. */
  find(hint: string | null): Promise<Model>;
};

type ModelsOptions = {
  readonly default: ModelRoute;
  readonly routes: () => Promise<Readonly<Record<string, ModelRoute>>>;
  readonly apiKeyFor: (provider: ModelProvider) => string | undefined;
  readonly overrides?: PriceOverrides;
};

export function createModels(options: ModelsOptions): Models {
  const models = new Map<string, Model>();

  const modelAt = (route: ModelRoute): Model => {
    const complete = { ...route, apiKey: route.apiKey ?? options.apiKeyFor(route.provider) };
    const key = JSON.stringify([
      complete.provider,
      complete.name,
      complete.baseUrl,
      complete.apiKey,
      complete.contextTokens,
    ]);
    const model = models.get(key) ?? createModel(complete, options.overrides);
    models.set(key, model);
    return model;
  };

  return {
    find: async (hint) => {
      const routes = hint === null ? {} : await options.routes();
      const named = hint !== null && Object.hasOwn(routes, hint) ? routes[hint] : undefined;
      return modelAt(named ?? options.default);
    },
  };
}

// No apiKey: settings are shown to whoever may read them.
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
    },
    { error: describeUnknownKeys },
  )
  .refine((route) => route.provider !== 'openai-compatible' || route.baseUrl !== undefined, {
    path: ['baseUrl'],
    error: 'an openai-compatible route needs a baseUrl',
  });

/** The stored setting: routes by the name that a request's `model` gives. */
export const modelRoutesSchema = z.record(z.string().min(1), storedRouteSchema);

function describeUnknownKeys(issue: { readonly code?: string; readonly keys?: unknown }): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const keys = Array.isArray(issue.keys) ? issue.keys.join(', ') : '';
  const hint = keys.includes('apiKey') ? '; keys are not kept in settings' : '';
  return `unknown key ${keys}: a route has provider, name, baseUrl and contextTokens${hint}`;
}
