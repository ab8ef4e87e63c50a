import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { operatorOnly } from '#http/caller/bearer.ts';
import type { replicaList } from './wire-replicas.ts';

/** `GET /api/replicas`: who runs turns now, and what waits; for the operator. */
export function replicasRoute(operations: Operations) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operatorOnly);

    app.get('/replicas', async ({ principal }): Promise<z.infer<typeof replicaList>> => {
      const { replicas, turns } = await operations.look(principal);
      return {
        replicas: replicas.map(({ id, startedAt, running, model, self }) => ({
          id,
          started_at: startedAt.toISOString(),
          running,
          model,
          self,
        })),
        queue: {
          queued: turns.queued,
          running: turns.running,
          waiting: turns.waiting,
          oldest_seconds: turns.oldestSeconds,
        },
      };
    });
  };
}
