import { z } from 'zod';
import type { WebhookRoutes } from '#agent/administration/webhook-routes.ts';
import { VERIFIER_KINDS, type WebhookRoute } from '#domain/webhook/webhook-route.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { assistantField } from '../work-fields.ts';

type Services = { readonly webhookRoutes: WebhookRoutes };

const fields = {
  name: z
    .string('name is required and must be a string.')
    .regex(/^[\w-]{1,64}$/, 'A name has 1 to 64 letters, digits, dashes and underscores.')
    .describe('The last part of the address: `/webhook/events/<name>` on the webhook channel.'),
  verifier: z
    .enum(VERIFIER_KINDS, `verifier must be ${VERIFIER_KINDS.join(', ')}.`)
    .describe('How the sender is known.'),
  webhook_user: z
    .string('webhook_user is required and must be a string.')
    .min(1, 'webhook_user must not be empty.')
    .max(200, 'webhook_user is too long.')
    .describe('The webhook user in whose name events are taken.'),
  message: z
    .string('message is required and must be a string.')
    .describe('A template: `{{path.to.field}}` inserts a part of the event.'),
};

const route = z
  .strictObject({
    ...fields,
    header: z.string().nullable().describe('The header that carries a shared secret; null for the usual one.'),
    conversation: z
      .string()
      .nullable()
      .describe('A template: events with the same text here continue one conversation. null: each begins one.'),
    assistant: z.string().nullable().describe('The assistant for everyone that answers; null for the usual agent.'),
  })
  .meta({ id: 'WebhookRoute' });

const listRoutes = defineRoute({
  method: 'get',
  path: '/api/webhook-routes',
  summary: 'List the webhook routes of other senders, such as GitHub and Stripe.',
  access: 'operator',
  responses: {
    200: {
      description: 'The routes by name.',
      json: z.strictObject({ routes: z.array(route) }).meta({ id: 'WebhookRouteList' }),
    },
  },
  async handle(_call, { webhookRoutes }: Services) {
    return { routes: (await webhookRoutes.list()).map(render) };
  },
});

const addRoute = defineRoute({
  method: 'post',
  path: '/api/webhook-routes',
  summary: 'Add a webhook route for the events of a sender that cannot shape its body.',
  access: 'operator',
  body: z
    .strictObject({
      ...fields,
      header: z.string('header must be a string.').max(200, 'header is too long.').nullish(),
      conversation: z.string('conversation must be a string.').nullish(),
      assistant: assistantField.nullish().describe('The name of an assistant for everyone.'),
      secret: z
        .string('secret is required and must be a string.')
        .min(1, 'secret must not be empty.')
        .max(4096, 'secret is too long.')
        .describe('What verifies the sender. Stored encrypted.'),
    })
    .meta({ id: 'NewWebhookRoute' }),
  responses: { 201: { description: 'The route.', json: route } },
  errors: [400, 409, 413],
  async handle({ principal, body }, { webhookRoutes }: Services) {
    const added = {
      name: body.name,
      verifier: body.verifier,
      header: body.header?.toLowerCase() ?? null,
      webhookUser: body.webhook_user,
      message: body.message,
      conversation: body.conversation ?? null,
      assistant: body.assistant ?? null,
    };
    await webhookRoutes.add(added, body.secret, principal.userId);
    return render(added);
  },
});

const removeRoute = defineRoute({
  method: 'delete',
  path: '/api/webhook-routes/{name}',
  summary: 'Remove a webhook route. Its events are refused from then on.',
  access: 'operator',
  params: z.object({ name: z.string().max(64, 'This route does not exist.') }),
  responses: { 204: { description: 'The route is removed.' } },
  errors: [404],
  async handle({ principal, params }, { webhookRoutes }: Services) {
    await webhookRoutes.remove(params.name, principal.userId);
  },
});

export const webhookRouteRoutes = [listRoutes, addRoute, removeRoute];

const render = ({ name, verifier, header, webhookUser, message, conversation, assistant }: WebhookRoute) => ({
  name,
  verifier,
  header,
  webhook_user: webhookUser,
  message,
  conversation,
  assistant,
});
