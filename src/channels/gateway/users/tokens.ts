import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { NotFound } from '#domain/errors.ts';
import type { Token } from '#domain/user.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { type createdToken, newToken, type tokenList } from './wire-users.ts';

type ById = { Params: { id: string } };

/** A user's tokens, for the operator and for the user, who may call themselves `me`. */
export function tokenRoutes(accounts: Accounts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post<ById>('/users/:id/tokens', { onRequest: requireOwn }, async (request, reply) => {
      const { name, expires_at: expiry } = parseBody(newToken, request.body);
      const wanted = { name, expiresAt: expiry ? new Date(expiry) : null };
      const { token, secret } = await accounts.createToken(request.principal, userIdOf(request), wanted);
      const created: z.infer<typeof createdToken> = { ...renderToken(token), token: secret };
      return reply.code(201).header('cache-control', 'no-store').send(created);
    });

    app.get<ById>('/users/:id/tokens', async (request): Promise<z.infer<typeof tokenList>> => {
      const tokens = await accounts.listTokens(request.principal, userIdOf(request));
      return {
        tokens: tokens.map((token) => ({
          ...renderToken(token),
          last_used_at: token.lastUsedAt?.toISOString() ?? null,
        })),
      };
    });

    app.delete<ById>('/tokens/:id', async (request, reply) => {
      const { success, data: id } = z.uuid().safeParse(request.params.id);
      if (!success) throw new NotFound('There is no such token.');
      await accounts.revokeToken(request.principal, id);
      return reply.code(204).send();
    });
  };
}

/** Before the body is read. To a member, other users look like none. */
async function requireOwn(request: FastifyRequest<ById>): Promise<void> {
  if (request.principal.role !== 'operator' && userIdOf(request) !== request.principal.userId)
    throw new NotFound('There is no such user.');
}

const userIdOf = ({ params, principal }: FastifyRequest<ById>) => (params.id === 'me' ? principal.userId : params.id);

function renderToken({ id, name, createdAt, expiresAt }: Token) {
  return { id, name, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() ?? null };
}
