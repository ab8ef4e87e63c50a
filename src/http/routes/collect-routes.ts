import type { FastifyInstance } from 'fastify';

/** A list that collects every route added to `app` from now on, such as `GET /api/status`. */
export function collectRoutes(app: FastifyInstance): readonly string[] {
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    // fastify adds a HEAD to each GET
    routes.push(...[method].flat().flatMap((name) => (name === 'HEAD' ? [] : `${name} ${url}`)));
  });
  return routes;
}
