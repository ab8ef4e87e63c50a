import { z } from 'zod';
import { OPERATOR, type UserId } from '#domain/principal.ts';
import { remember } from '#domain/remember.ts';
import { originOf } from '#models/bound-keys.ts';
import type { ModelPrice, ModelRoute } from '#models/model-route.ts';
import { modelRoutesSchema } from '#models/model-routes.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { lockSetting, readSetting, writeSetting } from '#store/settings.ts';

export type ModelSettings = ReturnType<typeof createModelSettings>;

type Routes = Readonly<Record<string, ModelRoute>>;

const MODEL_ROUTES = 'model_routes';
const DEFAULT_ROUTE = 'default_model_route';
const FALLBACKS = 'model_fallbacks';
const PRICES = 'model_prices';
const REMEMBERED_MS = 2000;

const storedRoutes = modelRoutesSchema.nullish().transform((routes): Routes => routes ?? {});
const storedDefault = z.object({ route: z.string().nullable() }).catch({ route: null });
const storedFallbacks = z.object({ routes: z.array(z.string()) }).catch({ routes: [] });
const storedPrices = z
  .record(z.string(), z.object({ inputPerMillion: z.number(), outputPerMillion: z.number() }))
  .catch({});

/** The models that the operator has set, for all replicas. Read again every two seconds at most. */
export function createModelSettings(db: Database) {
  const remembered = remember(REMEMBERED_MS, () => load(db));

  async function change<T extends object>(
    name: string,
    schema: z.ZodType<T>,
    edit: (before: T) => T,
    actor: UserId,
    describe: (value: T) => object = (value) => value,
  ): Promise<T> {
    const value = await withOwner(db, OPERATOR, (trx) =>
      audited(
        trx,
        async (writing) => {
          const after = edit(schema.parse(await lockSetting(trx, name, 'update')));
          await writeSetting(writing, name, after);
          return after;
        },
        (after) => ({ actor, action: 'settings.change', subject: name, detail: { ...describe(after) } }),
      ),
    );
    remembered.forget();
    return value;
  }

  return {
    /** With the prices that the operator has set. */
    readRoutes: async (): Promise<Routes> => (await remembered.read()).routes,

    /** The name of the route that answers when a request names none; null for the configured model. */
    readDefaultRoute: async (): Promise<string | null> => (await remembered.read()).defaultRoute,

    /** The routes to ask, in this order, when a model without its own fallbacks does not answer. */
    readFallbacks: async (): Promise<readonly string[]> => (await remembered.read()).fallbacks,

    readPrices: async (): Promise<Prices> => (await remembered.read()).prices,

    changeRoutes: (edit: (routes: Routes) => Routes, actor: UserId): Promise<Routes> =>
      change(
        MODEL_ROUTES,
        storedRoutes,
        (routes) => storedRoutes.parse(edit(routes)),
        actor,
        (routes) => ({ routes: Object.keys(routes) }),
      ),

    writeDefaultRoute: (route: string | null, actor: UserId): Promise<unknown> =>
      change(DEFAULT_ROUTE, storedDefault, () => ({ route }), actor),

    writeFallbacks: (routes: readonly string[], actor: UserId): Promise<unknown> =>
      change(FALLBACKS, storedFallbacks, () => ({ routes: [...routes] }), actor),

    /** Sets what a model costs; null for the known price. */
    writePrice: (model: ModelRoute, price: ModelPrice | null, actor: UserId): Promise<unknown> =>
      change(
        PRICES,
        storedPrices,
        ({ [modelKey(model)]: _before, ...others }) => (price ? { ...others, [modelKey(model)]: price } : others),
        actor,
        () => ({ model: model.name, price }),
      ),
  };
}

type Prices = Readonly<Record<string, ModelPrice>>;

/** Identifies a model: its provider, where it is, and its name there. */
export const modelKey = (route: ModelRoute): string => `${route.provider} ${originOf(route) ?? ''} ${route.name}`;

export function withPrice(route: ModelRoute, prices: Prices): ModelRoute {
  const key = modelKey(route);
  return Object.hasOwn(prices, key) ? { ...route, price: prices[key] } : route;
}

type Stored = {
  readonly routes: Routes;
  readonly defaultRoute: string | null;
  readonly fallbacks: readonly string[];
  readonly prices: Prices;
};

async function load(db: Database): Promise<Stored> {
  const [stored, usual, order, prices] = await Promise.all([
    readSetting(db, MODEL_ROUTES).then((value) => storedRoutes.parse(value)),
    readSetting(db, DEFAULT_ROUTE).then((value) => storedDefault.parse(value)),
    readSetting(db, FALLBACKS).then((value) => storedFallbacks.parse(value)),
    readSetting(db, PRICES).then((value) => storedPrices.parse(value)),
  ]);
  const isRoute = (name: string) => Object.hasOwn(stored, name);
  return {
    routes: Object.fromEntries(Object.entries(stored).map(([name, route]) => [name, withPrice(route, prices)])),
    defaultRoute: usual.route !== null && isRoute(usual.route) ? usual.route : null,
    fallbacks: order.routes.filter(isRoute),
    prices,
  };
}
