import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { LimitsDesk } from '#agent/spending/spending-limits.ts';
import type { Accounts } from '#auth/accounts.ts';
import { NO_LIMITS, type SpendingLimits } from '#domain/spending.ts';
import type { User } from '#domain/user.ts';
import { operatorOnly } from '#http/caller/bearer.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { nextCursor } from '../page.ts';
import { newUser, type userList, usersQuery, wireLimits, type wireUser } from './wire-users.ts';

type ById = { Params: { id: string } };

/** `/api/users`, for the operator. */
export function userRoutes(accounts: Accounts, limits: LimitsDesk) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operatorOnly);

    app.post('/users', async (request, reply) => {
      const { name, email, role } = parseBody(newUser, request.body);
      const user = await accounts.addUser(request.principal, { name, email: email ?? null, role });
      return reply.code(201).send(renderUser(user, NO_LIMITS));
    });

    app.get('/users', async (request): Promise<z.infer<typeof userList>> => {
      const { limit, cursor } = parseBody(usersQuery, request.query);
      const users = await accounts.listUsers(request.principal, { after: cursor, limit });
      const own = await limits.list(
        request.principal,
        users.map(({ id }) => id),
      );
      const rendered = users.map((user) => renderUser(user, own.get(user.id) ?? NO_LIMITS));
      return { users: rendered, next_cursor: nextCursor(users, limit) };
    });

    app.put<ById>('/users/:id/limits', async (request): Promise<z.infer<typeof wireLimits>> => {
      const { tokens_per_day: tokensPerDay, usd_per_day: usdPerDay } = parseBody(wireLimits, request.body);
      await limits.set(request.principal, request.params.id, { tokensPerDay, usdPerDay });
      return renderLimits({ tokensPerDay, usdPerDay });
    });

    app.delete<ById>('/users/:id', async (request, reply) => {
      await accounts.removeUser(request.principal, request.params.id);
      return reply.code(204).send();
    });
  };
}

function renderUser(user: User, limits: SpendingLimits): z.infer<typeof wireUser> {
  const { id, name, email, role, createdAt } = user;
  return { id, name, email, role, created_at: createdAt.toISOString(), limits: renderLimits(limits) };
}

function renderLimits({ tokensPerDay, usdPerDay }: SpendingLimits): z.infer<typeof wireLimits> {
  return { tokens_per_day: tokensPerDay, usd_per_day: usdPerDay };
}
