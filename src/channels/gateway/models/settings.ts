import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { ModelDesk, ModelRoute } from '#agent/administration/model-admin.ts';
import type { Principal } from '#domain/principal.ts';
import { operatorOnly } from '#http/caller/bearer.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { modelTest, type modelTestResult, settingsChange, type wireSettings } from './wire-settings.ts';

type WireRoute = z.infer<typeof wireSettings>['model_routes'][string];

/** `/api/settings`, for the operator: the models by name, and a test of any of them. */
export function settingsRoutes(models: ModelDesk) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operatorOnly);

    app.get('/settings', ({ principal }) => read(principal));

    app.patch('/settings', async ({ principal, body }) => {
      const { model_routes: routes } = parseBody(settingsChange, body);
      if (routes) await models.writeRoutes(principal, mapValues(routes, parseRoute));
      return read(principal);
    });

    app.post('/settings/test-model', async ({ principal, body }): Promise<z.infer<typeof modelTestResult>> => {
      const { route: name, model } = parseBody(modelTest, body ?? {});
      return models.test(principal, { ...(name && { name }), ...(model && { route: parseRoute(model) }) });
    });
  };

  async function read(principal: Principal): Promise<z.infer<typeof wireSettings>> {
    const { default: route, hasKey, providers, routes } = await models.read(principal);
    return {
      default_model: { ...renderRoute(route), key_set: hasKey },
      providers: providers.map((provider) => ({ name: provider.name, key_set: provider.hasKey })),
      model_routes: mapValues(routes, renderRoute),
    };
  }
}

const parseRoute = ({ provider, name, base_url: baseUrl, fallback }: WireRoute): ModelRoute => ({
  provider,
  name,
  ...(baseUrl && { baseUrl }),
  ...(fallback?.length && { fallback }),
});

const renderRoute = ({ provider, name, baseUrl, fallback }: ModelRoute): WireRoute => ({
  provider,
  name,
  ...(baseUrl && { base_url: baseUrl }),
  ...(fallback?.length && { fallback: [...fallback] }),
});

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
