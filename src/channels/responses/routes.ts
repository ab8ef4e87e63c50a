import type { FastifyInstance } from 'fastify';
import type { Agent } from '#agent/agent.ts';
import type { TurnInput } from '#agent/start-turn.ts';
import { NotFound } from '#domain/errors.ts';
import { type CreateRequest, parseCreate } from './parse-create.ts';
import { PLACEHOLDER_MODEL, renderResponse } from './render-response.ts';
import { toEcho } from './response-echo.ts';
import { parseResponseId } from './response-id.ts';

/** The Responses API, for mounting under `/api/v1` and its alias `/v1`. */
export function responsesRoutes(agent: Agent, options: { isTaken: (toolName: string) => boolean }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/responses', async (request) => {
      const create = parseCreate(request.body, options.isTaken);
      const turn = await agent.startTurn(request.principal, toTurnInput(create));
      return renderResponse(await agent.outcome(request.principal, turn), create.model);
    });

    app.get<{ Params: { id: string } }>('/responses/:id', async (request) => {
      const place = parseResponseId(request.params.id);
      if (!place) throw new NotFound('There is no such response.');
      return renderResponse(await agent.getTurn(request.principal, place.threadId, place.turnId), PLACEHOLDER_MODEL);
    });
  };
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
