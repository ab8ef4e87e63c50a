import type { FastifyInstance } from 'fastify';
import type { ReplicaId } from '#domain/ids.ts';

/** `/healthz`: the process is alive, and its replica ID. `/readyz`: it can do its work. Neither needs a token. */
export function healthRoutes(isReady: () => Promise<boolean>, replica?: ReplicaId) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/healthz', async () => ({ status: 'ok', replica }));
    app.get('/readyz', async (_request, reply) =>
      (await isReady()) ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
    );
  };
}
