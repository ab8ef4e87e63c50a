import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { operatorOnly } from '#http/caller/bearer.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { nextCursor } from '../page.ts';
import { type auditList, auditQuery } from './wire-audit.ts';

/** `GET /api/audit`: what was done, the newest first; for the operator. */
export function auditRoute(accounts: Accounts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operatorOnly);

    app.get('/audit', async (request): Promise<z.infer<typeof auditList>> => {
      const { limit, cursor } = parseBody(auditQuery, request.query);
      const entries = await accounts.readAudit(request.principal, { before: cursor, limit });
      return {
        entries: entries.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
        next_cursor: nextCursor(entries, limit),
      };
    });
  };
}
