import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { Idempotency } from '#agent/input/start-turn.ts';
import type { Jobs } from '#agent/jobs.ts';
import { newId } from '#domain/ids.ts';
import { text } from '#domain/thread/item.ts';
import { type JobId, type NewJob, webhookUser } from '#domain/thread/job.ts';
import type { TraceContext } from '#domain/trace/trace-context.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { uuid } from '#http/routes/uuid.ts';
import { type CallbackRule, checkCallbackUrl } from './callback-url.ts';
import { jobAccepted, jobRecord, renderJob } from './job-shape.ts';
import { webhookMessage } from './webhook-message.ts';

export type WebhookDelivery = {
  readonly userId: string;
  readonly message: string;
  readonly job: NewJob;
  readonly idempotency: Idempotency | undefined;
  readonly trace?: TraceContext;
  readonly assistant?: string | null;
};

type Services = { readonly agent: Agent; readonly jobs: Jobs; readonly callbacks: CallbackRule };

const postWebhook = defineRoute({
  method: 'post',
  path: '/webhook',
  summary: 'Send a message. It becomes a job.',
  access: 'webhook',
  headers: idempotencyHeader,
  body: webhookMessage,
  freeFields: ['message', 'metadata'],
  responses: { 200: { description: 'The message was accepted.', json: jobAccepted } },
  errors: [400, 401, 409, 413, 429],
  async handle({ body, request }, { agent, jobs, callbacks }: Services) {
    return acceptDelivery(agent, jobs, toDelivery(body, request, callbacks));
  },
});

const getJob = defineRoute({
  method: 'get',
  path: '/jobs/{job_id}',
  summary: 'Get a webhook job.',
  access: 'webhook',
  params: z.object({ job_id: uuid<JobId>('This job does not exist.') }),
  responses: { 200: { description: 'The job.', json: jobRecord } },
  errors: [401, 404, 429],
  async handle({ params }, { jobs }: Services) {
    return renderJob(await jobs.getJob(params.job_id));
  },
});

/** Served on the webhook port. */
export const webhookRoutes = [postWebhook, getJob];

function toDelivery(
  body: z.infer<typeof webhookMessage>,
  request: FastifyRequest,
  callbacks: CallbackRule,
): WebhookDelivery {
  return {
    userId: body.user_id,
    message: body.message,
    job: {
      conversationId: body.conversation_id ?? null,
      metadata: body.metadata ?? null,
      callbackUrl: typeof body.callback_url === 'string' ? checkCallbackUrl(body.callback_url, callbacks) : null,
    },
    idempotency: idempotencyOf(request),
    ...traceOf(request),
  };
}

/** Once this has resolved, the message can't be lost. A repeated delivery gets the present state of its job. */
export async function acceptDelivery(
  agent: Agent,
  jobs: Jobs,
  { userId, message, job, idempotency, trace, assistant }: WebhookDelivery,
): Promise<z.infer<typeof jobAccepted>> {
  const { turn, fresh } = await agent.startTurn(webhookUser(userId), {
    threadId: undefined,
    unknownThread: 'not-found',
    channel: 'webhook',
    items: [{ id: newId(), type: 'message', role: 'user', content: [text(message)], status: 'completed' }],
    tools: undefined,
    request: { model: null, temperature: null, echo: {} },
    assistant,
    idempotency,
    ...(trace && { trace }),
    job,
  });
  if (fresh) return { job_id: turn.id, status: 'queued' };
  const { job: earlier, response } = await jobs.getJob(turn.id);
  return { job_id: earlier.id, status: earlier.status, ...(response !== null && { response }) };
}
