import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Pairings } from '#agent/gates/pairings.ts';
import type { pairingList } from './wire-pairings.ts';

/** `GET /api/pairings` and `DELETE /api/pairings/{user_id}`: all for the operator, for others what uses their secrets. */
export function pairingsRoute(pairings: Pairings) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/pairings', async (request): Promise<z.infer<typeof pairingList>> => {
      const found = await pairings.list(request.principal);
      return {
        pairings: found.map(({ userId, pairedUserId, createdAt }) => ({
          user_id: userId,
          paired_user_id: pairedUserId,
          created_at: createdAt.toISOString(),
        })),
      };
    });

    app.delete<{ Params: { user_id: string } }>('/pairings/:user_id', async (request, reply) => {
      await pairings.remove(request.principal, request.params.user_id);
      return reply.code(204).send();
    });
  };
}
