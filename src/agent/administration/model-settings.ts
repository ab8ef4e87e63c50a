import { OPERATOR, type UserId } from '#domain/principal.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { modelRoutesSchema } from '#models/model-routes.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { readSetting, writeSetting } from '#store/settings.ts';

type Routes = Readonly<Record<string, ModelRoute>>;

const MODEL_ROUTES = 'model_routes';
const REMEMBERED_MS = 2000;

/** The named model routes that the operator has set, for all replicas. Read again every two seconds at most. */
export function createModelSettings(db: Database) {
  let remembered: { readonly routes: Promise<Routes>; readonly until: number } | undefined;

  return {
    readRoutes(): Promise<Routes> {
      if (!remembered || remembered.until < performance.now()) {
        const routes = readSetting(db, MODEL_ROUTES).then((value) => modelRoutesSchema.parse(value ?? {}) as Routes);
        remembered = { routes, until: performance.now() + REMEMBERED_MS };
        routes.catch(() => (remembered = undefined));
      }
      return remembered.routes;
    },
    async writeRoutes(routes: Routes, actor: UserId): Promise<void> {
      const detail = { routes: Object.keys(routes) };
      await withOwner(db, OPERATOR, (trx) =>
        audited(trx, (writing) => writeSetting(writing, MODEL_ROUTES, modelRoutesSchema.parse(routes)), {
          actor,
          action: 'settings.change',
          subject: MODEL_ROUTES,
          detail,
        }),
      );
      remembered = undefined;
    },
  };
}
