import { z } from 'zod';

const route = z.strictObject({
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible', 'demo']),
  name: z.string('name must be the name of a model.').min(1, 'name must be the name of a model.'),
  base_url: z.url({ protocol: /^https?$/, error: 'base_url must be an http or https address.' }).nullish(),
  fallback: z
    .array(z.string().min(1), 'fallback must be a list of route names.')
    .nullish()
    .describe('The routes to ask, in this order, when this model fails; `default` is the default model.'),
});

/** Routes by the name that a request's `model` gives. Keys are never part of settings: they come from the environment. */
const routes = z.record(z.string().min(1), route);

/** The body of `GET /api/settings`. `default_model` is set by the environment; `key_set`: whether a key was found for it. */
export const wireSettings = z
  .strictObject({
    default_model: z.strictObject({ ...route.shape, key_set: z.boolean() }),
    providers: z.array(z.strictObject({ name: z.string(), key_set: z.boolean() })),
    model_routes: routes,
  })
  .meta({ id: 'Settings' });

/** `model_routes` replaces all of them. */
export const settingsChange = z.object({ model_routes: routes.optional() }).meta({ id: 'SettingsChange' });

/** The route to try: one of the stored ones by its name, one given whole, or when both are left out the default. */
export const modelTest = z
  .object({ route: z.string().min(1).nullish(), model: route.nullish() })
  .meta({ id: 'ModelTest' });

export const modelTestResult = z
  .strictObject({
    ok: z.boolean(),
    provider: z.string(),
    model: z.string(),
    message: z.string().describe('The outcome in words: what it said, or what to do.'),
    milliseconds: z.int().min(0),
  })
  .meta({ id: 'ModelTestResult' });
