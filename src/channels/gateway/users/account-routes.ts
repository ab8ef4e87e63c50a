import type { FastifyInstance } from 'fastify';
import type { LimitsDesk } from '#agent/spending/spending-limits.ts';
import type { Accounts } from '#auth/accounts.ts';
import { auditRoute } from '../audit/audit.ts';
import { sessionRoutes } from './sessions.ts';
import { tokenRoutes } from './tokens.ts';
import { userRoutes } from './users.ts';

/** Who may ask, and what was done about it. */
export function accountRoutes(accounts: Accounts, limits: LimitsDesk) {
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(userRoutes(accounts, limits));
    await app.register(tokenRoutes(accounts));
    await app.register(sessionRoutes(accounts));
    await app.register(auditRoute(accounts));
  };
}
