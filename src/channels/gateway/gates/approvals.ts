import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { StandingApprovals } from '#agent/gates/standing-approvals.ts';
import type { approvalList } from './wire-approvals.ts';

/** `GET /api/approvals` and `DELETE /api/approvals/{id}`: what was approved for good. */
export function approvalsRoute(approvals: StandingApprovals) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/approvals', async (request): Promise<z.infer<typeof approvalList>> => {
      const found = await approvals.list(request.principal);
      return {
        approvals: found.map(({ id, userId, tool, shape, createdAt }) => ({
          id,
          user_id: userId,
          tool,
          shape: shape.split('\n'),
          created_at: createdAt.toISOString(),
        })),
      };
    });

    app.delete<{ Params: { id: string } }>('/approvals/:id', async (request, reply) => {
      await approvals.revoke(request.principal, request.params.id);
      return reply.code(204).send();
    });
  };
}
