import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { Jobs } from '#agent/jobs.ts';
import type { Idempotency } from '#agent/turn/start-turn.ts';
import { NotFound } from '#domain/errors.ts';
import { isUuid, newId } from '#domain/ids.ts';
import { text } from '#domain/thread/item.ts';
import { type NewJob, webhookUser } from '#domain/thread/job.ts';
import { idempotencyOf } from '#http/routes/idempotency-key.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { type CallbackRule, checkCallbackUrl } from './callback-url.ts';
import { renderJob } from './render-job.ts';
import { requireSecret } from './secret.ts';
import { type jobAccepted, webhookMessage } from './wire-webhook.ts';

export type WebhookDelivery = {
  readonly userId: string;
  readonly message: string;
  readonly job: NewJob;
  readonly idempotency: Idempotency | undefined;
};

/** `POST /webhook` takes a message and answers with a job; `GET /jobs/{job_id}` tells how far it is. */
export function webhookRoutes(agent: Agent, jobs: Jobs, options: { secret: string; callbacks: CallbackRule }) {
  return async (app: FastifyInstance): Promise<void> => {
    requireSecret(app, options.secret);

    app.post('/webhook', async (request) => acceptDelivery(agent, jobs, toDelivery(request, options.callbacks)));

    app.get<{ Params: { id: string } }>('/jobs/:id', async ({ params }) => {
      if (!isUuid(params.id)) throw new NotFound('There is no such job.');
      return renderJob(await jobs.getJob(params.id));
    });
  };
}

function toDelivery(request: FastifyRequest, callbacks: CallbackRule): WebhookDelivery {
  const body = parseBody(webhookMessage, request.body, ['message', 'metadata']);
  return {
    userId: body.user_id,
    message: body.message,
    job: {
      conversationId: body.conversation_id ?? null,
      metadata: body.metadata ?? null,
      callbackUrl: typeof body.callback_url === 'string' ? checkCallbackUrl(body.callback_url, callbacks) : null,
    },
    idempotency: idempotencyOf(request),
  };
}

/** Once this has resolved the message can't be lost. A delivery that comes again gets the job it has, as it is now. */
export async function acceptDelivery(
  agent: Agent,
  jobs: Jobs,
  { userId, message, job, idempotency }: WebhookDelivery,
): Promise<z.infer<typeof jobAccepted>> {
  const { turn, fresh } = await agent.startTurn(webhookUser(userId), {
    threadId: undefined,
    unknownThread: 'not-found',
    channel: 'webhook',
    items: [{ id: newId(), type: 'message', role: 'user', content: [text(message)], status: 'completed' }],
    tools: undefined,
    request: { model: null, temperature: null, echo: {} },
    idempotency,
    job,
  });
  if (fresh) return { job_id: turn.id, status: 'queued' };
  const { job: earlier, response } = await jobs.getJob(turn.id);
  return { job_id: earlier.id, status: earlier.status, ...(response !== null && { response }) };
}
