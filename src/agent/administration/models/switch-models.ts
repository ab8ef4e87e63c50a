import { InvalidRequest } from '#domain/errors.ts';
import type { UserId } from '#domain/principal.ts';
import type { ListedModel } from '#models/list-models.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { DEFAULT } from '#models/model-routes.ts';
import { type ModelSettings, modelKey } from './model-settings.ts';

type Routes = Readonly<Record<string, ModelRoute>>;

export type ModelFacts = {
  readonly contextTokens?: number | null | undefined;
  readonly reads?: ListedModel['reads'] | undefined;
};

/** Makes models available as routes, and takes them back. `actor` must be an operator. */
export function createModelSwitch(settings: ModelSettings, configured: ModelRoute) {
  const switchOn = (actor: UserId, provider: string, model: ModelRoute): Promise<Routes> =>
    settings.changeRoutes((routes) => {
      if (routeOf(routes, model) !== null) return routes;
      const taken = [DEFAULT, configured.name, ...Object.keys(routes)];
      // Its own name, unless a model of another provider has it.
      const name = taken.includes(model.name) ? `${provider}/${model.name}` : model.name;
      return { ...routes, [name]: model };
    }, actor);

  return {
    switchOn,

    async switchOff(actor: UserId, model: ModelRoute): Promise<void> {
      const usual = await settings.readDefaultRoute();
      await settings.changeRoutes((routes) => {
        const off = Object.keys(routes).filter((name) => isSameModel(routes[name], model));
        if (usual !== null && off.includes(usual))
          throw new InvalidRequest(
            'invalid_request',
            'on',
            'The default model stays on. Choose another default first.',
          );
        return withoutRoutes(routes, off);
      }, actor);
    },

    async makeDefault(actor: UserId, provider: string, model: ModelRoute): Promise<void> {
      const route = isSameModel(configured, model) ? null : routeOf(await switchOn(actor, provider, model), model);
      await settings.writeDefaultRoute(route, actor);
    },

    describe: (actor: UserId, model: ModelRoute, facts: ModelFacts): Promise<Routes> =>
      settings.changeRoutes((routes) => {
        const name = routeOf(routes, model);
        const before = name === null ? undefined : routes[name];
        if (name === null || !before)
          throw new InvalidRequest('invalid_request', null, 'Switch the model on before you change it.');
        const { contextTokens = before.contextTokens, reads = before.reads } = facts;
        return {
          ...routes,
          [name]: { ...before, contextTokens: contextTokens ?? undefined, reads: reads ?? undefined },
        };
      }, actor),
  };
}

const isSameModel = (one: ModelRoute | undefined, other: ModelRoute): boolean =>
  one !== undefined && modelKey(one) === modelKey(other);

const routeOf = (routes: Routes, model: ModelRoute): string | null =>
  Object.keys(routes).find((name) => isSameModel(routes[name], model)) ?? null;

/** Without these routes, also as fallbacks of the others. */
export function withoutRoutes(routes: Routes, gone: readonly string[]): Routes {
  const kept = Object.entries(routes).filter(([name]) => !gone.includes(name));
  return Object.fromEntries(
    kept.map(([name, { fallback, ...route }]) => {
      const others = fallback?.filter((each) => !gone.includes(each));
      return [name, { ...route, ...(others?.length && { fallback: others }) }];
    }),
  );
}
