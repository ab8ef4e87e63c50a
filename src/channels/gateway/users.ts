import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import type { User } from '#domain/user.ts';
import { parseBody } from '#http/parse-body.ts';
import { nextCursor } from './page.ts';
import { newUser, type userList, usersQuery, type wireUser } from './wire-users.ts';

type ById = { Params: { id: string } };

/** `/api/users`, for the operator. */
export function userRoutes(accounts: Accounts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/users', async (request, reply) => {
      const { name, email, role } = parseBody(newUser, request.body);
      const user = await accounts.addUser(request.principal, { name, email: email ?? null, role });
      return reply.code(201).send(renderUser(user));
    });

    app.get('/users', async (request): Promise<z.infer<typeof userList>> => {
      const { limit, cursor } = parseBody(usersQuery, request.query);
      const users = await accounts.listUsers(request.principal, { after: cursor, limit });
      return { users: users.map(renderUser), next_cursor: nextCursor(users, limit) };
    });

    app.delete<ById>('/users/:id', async (request, reply) => {
      await accounts.removeUser(request.principal, request.params.id);
      return reply.code(204).send();
    });
  };
}

function renderUser({ id, name, email, role, createdAt }: User): z.infer<typeof wireUser> {
  return { id, name, email, role, created_at: createdAt.toISOString() };
}
