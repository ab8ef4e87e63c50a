import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebhookRoutes } from '#agent/administration/webhook-routes.ts';
import type { Agent } from '#agent/agent.ts';
import type { Jobs } from '#agent/jobs.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';
import { digestOf } from '../delivery.ts';
import { acceptDelivery, type WebhookDelivery } from '../routes.ts';
import { webhookMessage } from '../webhook-message.ts';
import { parseTemplate, renderPlain, renderTemplate } from './message-template.ts';
import { verifyEvent } from './verify-event.ts';

/**
 * `POST /webhook/events/{name}`, for senders that can't shape their body. The sender is known by its signature over
 * the body as it came, so nothing is parsed before that is checked.
 */
export function eventRoutes(agent: Agent, jobs: Jobs, routes: WebhookRoutes) {
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);

    app.post<{ Params: { name: string } }>('/webhook/events/:name', async (request) => {
      const found = await routes.find(request.params.name);
      if (!found) throw new NotFound('This route does not exist.');
      const { route, secret } = found;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const verifier = { kind: route.verifier, secret, ...(route.header && { header: route.header }) };
      const { deliveryId, isTimed } = verifyEvent(verifier, { headers: request.headers, body, now: new Date() });
      if (isPing(route, request)) return { status: 'ignored' };
      return acceptDelivery(agent, jobs, toDelivery(route, body, { id: deliveryId, isTimed }));
    });
  };
}

/** GitHub tries out a new webhook with an event that asks for nothing. */
function isPing(route: WebhookRoute, { headers }: FastifyRequest): boolean {
  return route.verifier === 'github' && headers['x-github-event'] === 'ping';
}

type Received = { readonly id: string; readonly isTimed: boolean };

function toDelivery(route: WebhookRoute, body: Buffer, { id, isTimed }: Received): WebhookDelivery {
  const event = parseEvent(body);
  return {
    userId: route.webhookUser,
    assistant: route.assistant,
    message: renderTemplate(parseTemplate(route.message), event, route.name),
    job: { conversationId: conversationOf(route, event), metadata: { route: route.name }, callbackUrl: null },
    idempotency: {
      key: `event:${route.name}:${id}`,
      digest: digestOf(body),
      isLasting: !isTimed,
    },
  };
}

/** The name of the conversation that this event continues. One that could not be kept as it is goes by its digest. */
function conversationOf({ conversation }: WebhookRoute, event: unknown): string | null {
  const name = conversation ? renderPlain(parseTemplate(conversation), event).trim() : '';
  if (name === '') return null;
  return webhookMessage.shape.conversation_id.safeParse(name).success ? name : digestOf(Buffer.from(name));
}

function parseEvent(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new InvalidRequest('invalid_request', null, 'The body is not valid JSON. Let the sender use JSON.');
  }
}
