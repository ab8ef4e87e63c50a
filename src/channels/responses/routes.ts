import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Agent, TurnPlace } from '#agent/agent.ts';
import type { TurnInput } from '#agent/start-turn.ts';
import { noReplyYet, replyOf, type TurnReply } from '#agent/turn-reply.ts';
import { NotFound } from '#domain/errors.ts';
import { isEnded, type Turn } from '#domain/turn.ts';
import { hangUp, whileConnected } from '#http/connected.ts';
import { sendEvents } from '#http/sse.ts';
import { type CreateRequest, parseCreate } from './parse-create.ts';
import { PLACEHOLDER_MODEL, renderResponse } from './render-response.ts';
import { toEcho } from './response-echo.ts';
import { parseResponseId } from './response-id.ts';
import { streamResponse } from './stream-response.ts';

type ById = { Params: { id: string }; Querystring: { stream?: string; starting_after?: string } };

/** How long a cancel waits for the turn to notice; the answer then tells how far it got. */
const CANCEL_WAIT_MS = 5000;

/** The Responses API, for mounting under `/api/v1` and its alias `/v1`. */
export function responsesRoutes(
  agent: Agent,
  options: { isTaken: (toolName: string) => boolean; timeoutSeconds: number },
) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/responses', async (request, reply) => {
      const create = parseCreate(request.body, options.isTaken);
      const turn = await agent.startTurn(request.principal, toTurnInput(create));

      if (create.stream)
        return stream(request, reply, turn, { model: create.model, startingAfter: -1, fresh: !isEnded(turn) });
      if (create.background) return renderResponse(noReplyYet(turn), create.model);
      const record = await waitFor(request, reply, turn);
      return record ? renderResponse(record, create.model) : hangUp(reply);
    });

    app.get<ById>('/responses/:id', async (request, reply) => {
      const record = await agent.getTurn(request.principal, placeOf(request.params.id));
      if (request.query.stream !== 'true') return renderResponse(replyOf(record), PLACEHOLDER_MODEL);
      const startingAfter = Number(request.query.starting_after ?? -1);
      return stream(request, reply, record.turn, { model: PLACEHOLDER_MODEL, startingAfter, fresh: false });
    });

    app.post<ById>('/responses/:id/cancel', async (request) => {
      const place = placeOf(request.params.id);
      await agent.cancelTurn(request.principal, place, 'cancelled');
      const { turn } = await agent.getTurn(request.principal, place);
      const record = await agent.outcome(request.principal, turn, AbortSignal.timeout(CANCEL_WAIT_MS));
      return renderResponse(record, PLACEHOLDER_MODEL);
    });
  };

  function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    turn: Turn,
    how: { model: string; startingAfter: number; fresh: boolean },
  ): Promise<void> {
    const signal = whileConnected(request, reply);
    return sendEvents(reply, streamResponse(agent, request.principal, turn, { ...how, signal }), signal);
  }

  /** The ended turn; undefined when there is nobody left to tell. One that takes too long is cancelled. */
  async function waitFor(request: FastifyRequest, reply: FastifyReply, turn: Turn): Promise<TurnReply | undefined> {
    const connected = whileConnected(request, reply);
    const limit = AbortSignal.timeout(options.timeoutSeconds * 1000);
    const record = await agent.outcome(request.principal, turn, AbortSignal.any([connected, limit]));
    if (connected.aborted) return undefined;
    if (isEnded(record.turn)) return record;

    await agent.cancelTurn(request.principal, { threadId: turn.threadId, turnId: turn.id }, 'turn_timeout');
    return agent.outcome(
      request.principal,
      record.turn,
      AbortSignal.any([connected, AbortSignal.timeout(CANCEL_WAIT_MS)]),
    );
  }
}

function placeOf(id: string): TurnPlace {
  const place = parseResponseId(id);
  if (!place) throw new NotFound('There is no such response.');
  return place;
}

function toTurnInput(create: CreateRequest): TurnInput {
  return {
    threadId: create.previous?.threadId,
    channel: 'responses',
    items: create.items,
    tools: create.tools,
    request: { model: create.model, temperature: create.temperature, echo: toEcho(create) },
  };
}
