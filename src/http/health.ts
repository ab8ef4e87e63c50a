import type { FastifyInstance } from 'fastify';

/** `/healthz`: the process lives. `/readyz`: it can do its work. Neither needs a token. */
export function healthRoutes(isReady: () => Promise<boolean>) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.get('/readyz', async (_request, reply) =>
      (await isReady()) ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
    );
  };
}
