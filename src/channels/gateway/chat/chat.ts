import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { type TurnReply, wordsOf } from '#agent/turn/turn-reply.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { refusalAt } from '#domain/thread/turn.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { idempotencyOf } from '#http/routes/idempotency-key.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { renderGatedCall } from '../gates/render-gate.ts';
import { acceptedTurn, placeOf } from './accepted-turn.ts';
import { toTurnInput } from './chat-input.ts';
import { type chatReply, chatRequest, FREE_FIELDS } from './wire-chat.ts';

export type ChatOptions = {
  readonly limiter: Limiter;
  readonly timeoutSeconds: number;
  readonly threadUrl: ThreadUrl;
};

/** `POST /api/chat` waits for the answer; `POST /api/chat/send` only accepts the message. */
export function chatRoutes(agent: Agent, options: ChatOptions) {
  const send = { onRequest: limitSends(options.limiter) };
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/chat', send, async (request, reply) => {
      const started = await agent.startTurn(request.principal, inputOf(request));
      const signal = whileConnected(request, reply);
      const ended = await agent.outcome(request.principal, started, { signal, limitMs: options.timeoutSeconds * 1000 });
      return signal.aborted ? hangUp(reply) : renderChat(ended, options.threadUrl);
    });

    app.post('/chat/send', send, async (request, reply) => {
      const { turn } = await agent.startTurn(request.principal, inputOf(request));
      return reply.code(202).send(acceptedTurn(turn));
    });
  };
}

const inputOf = (request: FastifyRequest) =>
  toTurnInput(parseBody(chatRequest, request.body, FREE_FIELDS), idempotencyOf(request));

function renderChat(reply: TurnReply, threadUrl: ThreadUrl): z.infer<typeof chatReply> {
  const { turn, gate } = reply;
  const error = gate ? refusalAt(gate, threadUrl(turn.threadId)) : turn.failure;
  return {
    ...placeOf(turn),
    status: turn.status,
    message: wordsOf(reply),
    ...(error && { error }),
    ...(gate && { gate: { id: gate.id, kind: gate.kind, call: renderGatedCall(gate.call) } }),
  };
}
