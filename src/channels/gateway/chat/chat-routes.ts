import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { type TurnReply, wordsOf } from '#agent/watch/turn-reply.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { refusalAt } from '#domain/thread/turn.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { nestedGate, renderNestedGate } from '../gates/gate-shape.ts';
import { acceptedTurn, failure, renderAccepted, turnIds, turnStatus } from '../threads/turn-shape.ts';
import { chatRequest, FREE_FIELDS, readChat } from './chat-request.ts';

type Services = {
  readonly agent: Agent;
  readonly limiter: Limiter;
  readonly timeoutSeconds: number;
  readonly threadUrl: ThreadUrl;
};

const before = (request: FastifyRequest, { limiter }: Services) => limitSends(limiter)(request);

const chatReply = z
  .strictObject({
    thread_id: z.uuid(),
    response_id: z.string(),
    status: turnStatus,
    message: z.string(),
    error: failure.optional(),
    gate: nestedGate.optional(),
  })
  .meta({ id: 'ChatReply' });

const chat = defineRoute({
  method: 'post',
  path: '/api/chat',
  summary: 'Send a message and wait for the answer.',
  headers: idempotencyHeader,
  body: chatRequest,
  freeFields: FREE_FIELDS,
  responses: { 200: { description: 'The answer. If the turn failed, `status` says so.', json: chatReply } },
  errors: [400, 404, 409, 413, 429],
  before,
  async handle({ principal, body, request, reply }, { agent, timeoutSeconds, threadUrl }: Services) {
    const started = await agent.startTurn(principal, {
      ...(await readChat(agent, principal, body, idempotencyOf(request))),
      ...traceOf(request),
      timeoutMs: timeoutSeconds * 1000,
    });
    const signal = whileConnected(request, reply);
    const ended = await agent.outcome(principal, started, { signal });
    return signal.aborted ? hangUp(reply) : renderChat(ended, threadUrl);
  },
});

const send = defineRoute({
  method: 'post',
  path: '/api/chat/send',
  summary: 'Send a message without waiting for the answer.',
  headers: idempotencyHeader,
  body: chatRequest,
  freeFields: FREE_FIELDS,
  responses: { 202: { description: 'The message was accepted.', json: acceptedTurn } },
  errors: [400, 404, 409, 413, 429],
  before,
  async handle({ principal, body, request }, { agent }: Services) {
    const started = await agent.startTurn(principal, {
      ...(await readChat(agent, principal, body, idempotencyOf(request))),
      ...traceOf(request),
    });
    return renderAccepted(started);
  },
});

export const chatRoutes = [chat, send];

function renderChat(reply: TurnReply, threadUrl: ThreadUrl): z.infer<typeof chatReply> {
  const { turn, gate } = reply;
  const error = gate ? refusalAt(gate, threadUrl(turn.threadId)) : turn.failure;
  return {
    ...turnIds(turn),
    status: turn.status,
    message: wordsOf(reply),
    ...(error && { error }),
    ...(gate && { gate: renderNestedGate(gate) }),
  };
}
