import { z } from 'zod';
import type { LimitsAdmin } from '#agent/spending/spending-limits.ts';
import type { Accounts } from '#auth/accounts.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly accounts: Accounts; readonly limits: LimitsAdmin };

const askForMore = defineRoute({
  method: 'post',
  path: '/api/limits/requests',
  summary: 'Ask the operators for a higher limit. They get one message a day.',
  responses: { 204: { description: 'The operators see the request, until one changes the limit or dismisses it.' } },
  errors: [400],
  handle: ({ principal }, { limits }: Services) => limits.ask(principal),
});

const limitRequest = z
  .strictObject({ user_id: z.string(), name: z.string(), asked_at: z.iso.datetime() })
  .meta({ id: 'LimitRequest' });

const listRequests = defineRoute({
  method: 'get',
  path: '/api/limits/requests',
  summary: 'List the users who ask for a higher limit, oldest request first.',
  access: 'operator',
  responses: {
    200: {
      description: 'The open requests.',
      json: z.strictObject({ requests: z.array(limitRequest) }).meta({ id: 'LimitRequestList' }),
    },
  },
  async handle({ principal }, { accounts, limits }: Services) {
    const open = await limits.listRequests(principal);
    const names = await accounts.namesOf(
      principal,
      open.map(({ userId }) => userId),
    );
    return {
      requests: open.map(({ userId, askedAt }) => ({
        user_id: userId,
        name: names.get(userId) ?? userId,
        asked_at: askedAt.toISOString(),
      })),
    };
  },
});

const dismissRequest = defineRoute({
  method: 'delete',
  path: '/api/limits/requests/{user_id}',
  summary: 'Dismiss the request of a user. The limit stays as it is.',
  access: 'operator',
  params: z.object({ user_id: z.string() }),
  responses: { 204: { description: 'The request is dismissed.' } },
  errors: [404],
  async handle({ principal, params }, { limits }: Services) {
    await limits.dismiss(principal, params.user_id);
  },
});

export const limitRequestRoutes = [askForMore, listRequests, dismissRequest];
