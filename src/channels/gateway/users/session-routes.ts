import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { resolveMe, userParams } from './token-routes.ts';

type Services = { readonly accounts: Accounts };

const session = z.strictObject({
  id: z.uuid(),
  method: z.enum(['token', 'code', 'oidc']).describe('How the browser signed in.'),
  created_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

const listSessions = defineRoute({
  method: 'get',
  path: '/api/users/{id}/sessions',
  summary: "List a user's signed-in browsers.",
  params: userParams,
  responses: {
    200: {
      description: 'The newest first.',
      json: z
        .strictObject({
          sessions: z.array(session),
        })
        .meta({ id: 'SessionList' }),
    },
  },
  errors: [404],
  async handle({ principal, params }, { accounts }: Services) {
    const sessions = await accounts.listSessions(principal, resolveMe(params.id, principal));
    return { sessions: sessions.map((found) => renderAs(session, found)) };
  },
});

const revokeSession = defineRoute({
  method: 'delete',
  path: '/api/sessions/{id}',
  summary: 'Sign a browser out. Every replica refuses it within 5 seconds.',
  params: z.object({ id: z.uuid('This session does not exist.') }),
  responses: { 204: { description: 'The session is revoked.' } },
  errors: [404],
  async handle({ principal, params }, { accounts }: Services) {
    await accounts.revokeSession(principal, params.id);
  },
});

export const sessionRoutes = [listSessions, revokeSession];
