import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { NotFound } from '#domain/errors.ts';
import type { sessionList } from '../sign-in/wire-sign-in.ts';

type ById = { Params: { id: string } };

/** The browsers in which a user is signed in, for the operator and for the user, who may call themselves `me`. */
export function sessionRoutes(accounts: Accounts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<ById>('/users/:id/sessions', async ({ params, principal }): Promise<z.infer<typeof sessionList>> => {
      const userId = params.id === 'me' ? principal.userId : params.id;
      const sessions = await accounts.listSessions(principal, userId);
      return {
        sessions: sessions.map(({ id, method, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          method,
          created_at: createdAt.toISOString(),
          last_seen_at: lastSeenAt.toISOString(),
          expires_at: expiresAt.toISOString(),
        })),
      };
    });

    app.delete<ById>('/sessions/:id', async (request, reply) => {
      const { success, data: id } = z.uuid().safeParse(request.params.id);
      if (!success) throw new NotFound('There is no such session.');
      await accounts.revokeSession(request.principal, id);
      return reply.code(204).send();
    });
  };
}
