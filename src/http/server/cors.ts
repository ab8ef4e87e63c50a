import type { FastifyInstance } from 'fastify';

/** The API that takes tokens. Pages, sign-in and webhooks are not for other origins. */
const API = /^\/(?:api|v1)\//;
const MAX_AGE_SECONDS = 600;

/**
 * Lets pages of these origins use the API with a token. Credentials are never allowed, so a browser's session stays with the
 * pages of this service.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (!API.test(url)) return;
    reply.header('vary', 'Origin');
    const { origin, 'access-control-request-method': asked } = headers;
    if (origin === undefined || !origins.includes(origin)) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', 'X-Request-Id, Retry-After');
    if (method !== 'OPTIONS' || asked === undefined) return;
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': headers['access-control-request-headers'] ?? 'Authorization, Content-Type',
        'access-control-max-age': MAX_AGE_SECONDS,
      })
      .send();
  });
}
