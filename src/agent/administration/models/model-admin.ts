import { InvalidRequest } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { text } from '#domain/thread/item.ts';
import type { KeyFor } from '#models/bound-keys.ts';
import { ModelCallAborted, ModelFailure } from '#models/model.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { findWrongFallback } from '#models/model-routes.ts';
import type { ModelSettings } from './model-settings.ts';

type Routes = Readonly<Record<string, ModelRoute>>;

export type ModelAdmin = ReturnType<typeof createModelAdmin>;

export type { ModelPrice, ModelRoute } from '#models/model-route.ts';

const PATIENCE_MS = 30_000;

/** Lists and tests the models, for the operator. Keys are never shown. */
export function createModelAdmin(parts: {
  readonly settings: ModelSettings;
  readonly default: ModelRoute;
  readonly apiKeyFor: KeyFor;
}) {
  const keyOf = async (route: ModelRoute) => route.apiKey ?? (await parts.apiKeyFor(route));

  return {
    async read(actor: Principal) {
      requireOperator(actor);
      return {
        default: parts.default,
        hasKey: (await keyOf(parts.default)) !== undefined,
        defaultRoute: await parts.settings.readDefaultRoute(),
        routes: await parts.settings.readRoutes(),
        fallbacks: await parts.settings.readFallbacks(),
      };
    },

    async writeRoutes(actor: Principal, routes: Routes): Promise<void> {
      requireOperator(actor);
      for (const [name, { provider, baseUrl }] of Object.entries(routes))
        if (provider === 'openai-compatible' && !baseUrl)
          throw new InvalidRequest(
            'invalid_request',
            `model_routes.${name}.base_url`,
            'This provider needs a base_url.',
          );
      const wrong = findWrongFallback(routes);
      if (wrong) throw new InvalidRequest('invalid_request', `model_routes.${wrong.route}.fallback`, wrong.message);
      await parts.settings.changeRoutes(() => routes, actor.userId);
    },

    /** Chooses the route that answers when a request names none; null for the configured model. */
    async writeDefaultRoute(actor: Principal, route: string | null): Promise<void> {
      requireOperator(actor);
      if (route !== null) await find(route, 'default_route');
      await parts.settings.writeDefaultRoute(route, actor.userId);
    },

    /** Sets which routes are asked, in this order, when a model without its own fallbacks does not answer. */
    async writeFallbacks(actor: Principal, routes: readonly string[]): Promise<void> {
      requireOperator(actor);
      for (const route of routes) await find(route, 'fallbacks');
      await parts.settings.writeFallbacks([...new Set(routes)], actor.userId);
    },

    /** Sends the model a small request. A failure is a result, not an error. */
    async test(actor: Principal, which: { name?: string; route?: ModelRoute }) {
      requireOperator(actor);
      const route = which.route ?? (await find(which.name));
      return tryModel({ ...route, apiKey: await keyOf(route) });
    },
  };

  async function find(name: string | undefined, param = 'route'): Promise<ModelRoute> {
    if (name === undefined) return parts.default;
    const routes = await parts.settings.readRoutes();
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (!route) throw new InvalidRequest('invalid_request', param, `The route "${name}" does not exist.`);
    return route;
  }
}

const QUESTION = {
  system: 'This is a test of the connection. Answer with the single word: ready.',
  messages: [{ role: 'user' as const, content: [text('Are you there?')] }],
  tools: [],
  temperature: null,
};

async function tryModel(route: ModelRoute) {
  const { createModel } = await import('#models/provider/create-model.ts');
  const began = performance.now();
  const result = (ok: boolean, message: string) => ({
    ok,
    message,
    provider: route.provider,
    model: route.name,
    milliseconds: Math.round(performance.now() - began),
  });
  try {
    const answer = await createModel(route).ask(QUESTION, () => {}, AbortSignal.timeout(PATIENCE_MS));
    return result(true, `It answered: ${answer.text.slice(0, 200) || '(nothing)'}`);
  } catch (error) {
    if (error instanceof ModelFailure) return result(false, error.message);
    if (error instanceof ModelCallAborted)
      return result(false, 'It did not answer within 30 seconds. Check the address, and whether the model is up.');
    throw error;
  }
}
