import { z } from 'zod';
import { OPERATOR, type UserId } from '#domain/principal.ts';
import { remember } from '#domain/remember.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { modelRoutesSchema } from '#models/model-routes.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { readSetting, writeSetting } from '#store/settings.ts';

type Routes = Readonly<Record<string, ModelRoute>>;

export type ModelSettings = ReturnType<typeof createModelSettings>;

const MODEL_ROUTES = 'model_routes';
const DEFAULT_ROUTE = 'default_model_route';
const REMEMBERED_MS = 2000;

const storedDefault = z.object({ route: z.string().nullable() }).catch({ route: null });

/** The named model routes that the operator has set, for all replicas. Read again every two seconds at most. */
export function createModelSettings(db: Database) {
  const remembered = remember(REMEMBERED_MS, () => load(db));

  async function write(name: string, value: object, detail: Readonly<Record<string, unknown>>, actor: UserId) {
    const entry = { actor, action: 'settings.change', subject: name, detail };
    await withOwner(db, OPERATOR, (trx) => audited(trx, (writing) => writeSetting(writing, name, value), entry));
    remembered.forget();
  }

  return {
    readRoutes: async (): Promise<Routes> => (await remembered.read()).routes,

    /** The name of the route that answers when a request names none; null for the configured model. */
    readDefaultRoute: async (): Promise<string | null> => (await remembered.read()).defaultRoute,

    writeRoutes: (routes: Routes, actor: UserId): Promise<void> =>
      write(MODEL_ROUTES, modelRoutesSchema.parse(routes), { routes: Object.keys(routes) }, actor),

    writeDefaultRoute: (route: string | null, actor: UserId): Promise<void> =>
      write(DEFAULT_ROUTE, { route }, { route }, actor),
  };
}

type Stored = { readonly routes: Routes; readonly defaultRoute: string | null };

async function load(db: Database): Promise<Stored> {
  const [stored, usual] = await Promise.all([readSetting(db, MODEL_ROUTES), readSetting(db, DEFAULT_ROUTE)]);
  const routes: Routes = modelRoutesSchema.parse(stored ?? {});
  const { route } = storedDefault.parse(usual);
  return { routes, defaultRoute: route !== null && Object.hasOwn(routes, route) ? route : null };
}
