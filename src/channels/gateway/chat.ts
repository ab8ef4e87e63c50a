import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { TurnReply } from '#agent/turn-reply.ts';
import { textOf } from '#domain/item.ts';
import { refusalAt } from '#domain/turn.ts';
import { hangUp, whileConnected } from '#http/connected.ts';
import { idempotencyOf } from '#http/idempotency-key.ts';
import { parseBody } from '#http/parse-body.ts';
import { type Limiter, limitSends } from '#http/rate-limit.ts';
import { acceptedTurn, placeOf } from './accepted-turn.ts';
import { toTurnInput } from './chat-input.ts';
import { type chatReply, chatRequest } from './wire-chat.ts';

/** `POST /api/chat` waits for the answer; `POST /api/chat/send` only accepts the message. */
export function chatRoutes(agent: Agent, options: { limiter: Limiter; timeoutSeconds: number }) {
  const send = { onRequest: limitSends(options.limiter) };
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/chat', send, async (request, reply) => {
      const started = await agent.startTurn(request.principal, inputOf(request));
      const signal = whileConnected(request, reply);
      const ended = await agent.outcome(request.principal, started, { signal, limitMs: options.timeoutSeconds * 1000 });
      return signal.aborted ? hangUp(reply) : renderChat(ended);
    });

    app.post('/chat/send', send, async (request, reply) => {
      const { turn } = await agent.startTurn(request.principal, inputOf(request));
      return reply.code(202).send(acceptedTurn(turn));
    });
  };
}

const inputOf = (request: FastifyRequest) => toTurnInput(parseBody(chatRequest, request.body), idempotencyOf(request));

function renderChat({ turn, made, gate }: TurnReply): z.infer<typeof chatReply> {
  const said = made.flatMap((item) => (item.type === 'message' ? textOf(item.content) : []));
  const error = gate ? refusalAt(gate) : turn.failure;
  return { ...placeOf(turn), status: turn.status, message: said.join('\n\n'), ...(error && { error }) };
}
