import { z } from 'zod';
import type { ModelAdmin, ModelRoute } from '#agent/administration/model-admin.ts';
import type { Principal } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { contextTokens, reads } from './model-fields.ts';

type Services = { readonly modelAdmin: ModelAdmin };

const route = z.strictObject({
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible', 'demo']),
  name: z.string('name must be the name of a model.').min(1, 'name must be the name of a model.'),
  base_url: z.url({ protocol: /^https?$/, error: 'base_url must be an http or https address.' }).nullish(),
  context_tokens: contextTokens.nullish().describe('The size of its context window, if it is not the known one.'),
  reads: reads.nullish().describe('What the model reads besides text, if it is not known.'),
  fallback: z
    .array(z.string().min(1), 'fallback must be a list of route names.')
    .nullish()
    .describe('The routes to try, in this order, when this model fails. `default` is the default model.'),
});

/** By the name that requests send as `model`. Keys belong to providers, and are never part of settings. */
const routes = z.record(z.string().min(1), route);

const fallbacks = z.array(z.string().min(1), 'fallbacks must be a list of route names.').max(50);

const settings = z
  .strictObject({
    default_model: z
      .strictObject({ ...route.shape, key_set: z.boolean().describe('Whether a key was found.') })
      .describe('Set by the environment.'),
    default_route: z
      .string()
      .nullable()
      .describe('The model route that answers when a request names none; null for `default_model`.'),
    model_routes: routes,
    fallbacks: fallbacks.describe('The model routes to ask, in this order, when a model without its own fails.'),
  })
  .meta({ id: 'Settings' });

export const getSettings = defineRoute({
  method: 'get',
  path: '/api/settings',
  summary: 'Get the settings of the installation.',
  access: 'operator',
  responses: { 200: { description: 'The settings, without keys.', json: settings } },
  async handle({ principal }, { modelAdmin }: Services) {
    return readSettings(modelAdmin, principal);
  },
});

const changeSettings = defineRoute({
  method: 'patch',
  path: '/api/settings',
  summary: 'Change the settings of the installation.',
  access: 'operator',
  body: z
    .object({
      model_routes: routes.optional().describe('Replaces all model routes.'),
      default_route: z.string().min(1).nullish().describe('A model route, or null for `default_model`.'),
      fallbacks: fallbacks.optional(),
    })
    .meta({ id: 'SettingsChange' }),
  responses: { 200: { description: 'The changed settings.', json: settings } },
  errors: [400, 413],
  async handle({ principal, body }, { modelAdmin }: Services) {
    if (body.model_routes) await modelAdmin.writeRoutes(principal, mapValues(body.model_routes, parseRoute));
    if (body.default_route !== undefined) await modelAdmin.writeDefaultRoute(principal, body.default_route);
    if (body.fallbacks) await modelAdmin.writeFallbacks(principal, body.fallbacks);
    return readSettings(modelAdmin, principal);
  },
});

export const testModel = defineRoute({
  method: 'post',
  path: '/api/settings/test-model',
  summary: 'Send a model a short prompt, to see whether it answers.',
  access: 'operator',
  body: z
    .object({
      route: z.string().min(1).nullish().describe('A stored model route.'),
      model: route.nullish().describe('A model that is not stored yet. If both are left out, the default model.'),
    })
    .default({})
    .meta({ id: 'ModelTest' }),
  responses: {
    200: {
      description: 'The result.',
      json: z
        .strictObject({
          ok: z.boolean(),
          provider: z.string(),
          model: z.string(),
          message: z.string().describe('The answer of the model, or what to do.'),
          milliseconds: z.int().min(0),
        })
        .meta({ id: 'ModelTestResult' }),
    },
  },
  errors: [400, 413],
  async handle({ principal, body: { route: name, model } }, { modelAdmin }: Services) {
    return modelAdmin.test(principal, { ...(name && { name }), ...(model && { route: parseRoute(model) }) });
  },
});

export const settingsRoutes = [getSettings, changeSettings, testModel];

async function readSettings(modelAdmin: ModelAdmin, principal: Principal): Promise<z.infer<typeof settings>> {
  const {
    default: defaultModel,
    hasKey,
    defaultRoute,
    routes: stored,
    fallbacks: order,
  } = await modelAdmin.read(principal);
  return {
    default_model: { ...renderRoute(defaultModel), key_set: hasKey },
    default_route: defaultRoute,
    model_routes: mapValues(stored, renderRoute),
    fallbacks: [...order],
  };
}

type WireRoute = z.infer<typeof route>;

const parseRoute = ({ provider, name, base_url: baseUrl, fallback, ...known }: WireRoute): ModelRoute => ({
  provider,
  name,
  ...(known.context_tokens && { contextTokens: known.context_tokens }),
  ...(known.reads && { reads: known.reads }),
  ...(baseUrl && { baseUrl }),
  ...(fallback?.length && { fallback }),
});

const renderRoute = ({ provider, name, baseUrl, fallback, contextTokens, reads }: ModelRoute): WireRoute => ({
  provider,
  name,
  ...(contextTokens && { context_tokens: contextTokens }),
  ...(reads && { reads: [...reads] }),
  ...(baseUrl && { base_url: baseUrl }),
  ...(fallback?.length && { fallback: [...fallback] }),
});

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
