import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Agent, TurnPlace } from '#agent/agent.ts';
import type { StartedTurn, TurnInput } from '#agent/turn/start-turn.ts';
import { noReplyYet, replyOf, type TurnReply } from '#agent/turn/turn-reply.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { uuidFromHex } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { isEnded } from '#domain/thread/turn.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { parseResponseId } from '#http/response-id.ts';
import { idempotencyOf } from '#http/routes/idempotency-key.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { sendEvents } from '#http/sse.ts';
import { isObject } from './request/json-value.ts';
import { type CreateRequest, parseCreate } from './request/parse-create.ts';
import { type KnownItems, referencedIds } from './request/parse-input.ts';
import { listInputItems } from './response/list-input-items.ts';
import { PLACEHOLDER_MODEL, renderResponse, wireItemId } from './response/render-response.ts';
import { toEcho } from './response/response-echo.ts';
import { streamResponse } from './response/stream-response.ts';
import type { WireModels } from './response/wire-list.ts';

export type ResponsesOptions = {
  /** The names of the agent's own tools, which callers may not give to theirs. */
  readonly toolNames: () => Promise<ReadonlySet<string>>;
  /** Whether callers may bring tools of their own; a standard deployment always lets them. */
  readonly externalTools: boolean;
  readonly timeoutSeconds: number;
  readonly limiter: Limiter;
  /** The names by which a request can choose a model. */
  readonly modelNames: () => Promise<readonly string[]>;
  /** Holds every event stream while it is open. */
  readonly streams: Set<unknown>;
  /** Where a caller is sent whose turn waits for a person. */
  readonly threadUrl: ThreadUrl;
};

type Query = { stream?: string; starting_after?: string; limit?: string; order?: string; after?: string };
type ById = { Params: { id: string }; Querystring: Query };

/** How long a cancel waits for the turn to notice; the answer then tells how far it got. */
const CANCEL_WAIT_MS = 5000;

/** The Responses API, for mounting under `/api/v1` and its alias `/v1`. */
export function responsesRoutes(agent: Agent, options: ResponsesOptions) {
  const { threadUrl } = options;
  const render = (reply: TurnReply, model: string) => renderResponse(reply, model, threadUrl);
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/responses', { onRequest: limitSends(options.limiter) }, async (request, reply) => {
      const known = await findReferenced(agent, request.principal, request.body);
      const taken = await options.toolNames();
      const create = parseCreate(request.body, { ...options, known, isTaken: (name) => taken.has(name) });
      const started = await agent.startTurn(request.principal, toTurnInput(create, request));

      if (create.stream) return stream(request, reply, started, { model: create.model, startingAfter: -1 });
      if (create.background) return render(noReplyYet(started.turn), create.model);
      const signal = whileConnected(request, reply);
      const ended = await agent.outcome(request.principal, started, { signal, limitMs: options.timeoutSeconds * 1000 });
      return signal.aborted ? hangUp(reply) : render(ended, create.model);
    });

    app.get<ById>('/responses/:id', async (request, reply) => {
      const record = await agent.getTurn(request.principal, placeOf(request.params.id));
      if (request.query.stream !== 'true') return render(replyOf(record), PLACEHOLDER_MODEL);
      const startingAfter = parseStartingAfter(request.query.starting_after);
      return stream(request, reply, { turn: record.turn, fresh: false }, { model: PLACEHOLDER_MODEL, startingAfter });
    });

    app.post<ById>('/responses/:id/cancel', async (request) => {
      const place = placeOf(request.params.id);
      await agent.cancelTurn(request.principal, place, 'cancelled');
      const { turn } = await agent.getTurn(request.principal, place);
      const signal = AbortSignal.timeout(CANCEL_WAIT_MS);
      return render(await agent.outcome(request.principal, { turn, fresh: false }, { signal }), PLACEHOLDER_MODEL);
    });

    app.get<ById>('/responses/:id/input_items', async (request) => {
      const { items } = await agent.getTurn(request.principal, placeOf(request.params.id));
      return listInputItems(items, request.query);
    });

    app.get('/models', async () => listModels(await options.modelNames()));
  };

  function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    { turn, fresh }: StartedTurn,
    how: { model: string; startingAfter: number },
  ): Promise<void> {
    const signal = whileConnected(request, reply);
    const events = streamResponse(agent, request.principal, turn, {
      ...how,
      threadUrl,
      fresh: fresh && !isEnded(turn),
      signal,
    });
    options.streams.add(reply);
    return sendEvents(reply, events, signal).finally(() => options.streams.delete(reply));
  }
}

/** The number of the last event a watcher has seen; -1 for one who has seen none. */
function parseStartingAfter(given: string | undefined): number {
  if (given === undefined) return -1;
  if (!/^\d{1,15}$/.test(given))
    throw new InvalidRequest('invalid_request', 'starting_after', 'starting_after must be the number of an event.');
  return Number(given);
}

function placeOf(id: string): TurnPlace {
  const place = parseResponseId(id);
  if (!place) throw new NotFound('There is no such response.');
  return place;
}

function toTurnInput(create: CreateRequest, request: FastifyRequest): TurnInput {
  return {
    threadId: create.previous?.threadId,
    previousTurnId: create.previous?.turnId,
    unknownThread: 'failed-turn',
    channel: 'responses',
    items: create.items,
    tools: create.tools,
    request: { model: create.model, temperature: create.temperature, echo: toEcho(create) },
    idempotency: idempotencyOf(request),
  };
}

/** The items that a request's input refers to, as far as they are the caller's own. */
async function findReferenced(agent: Agent, owner: Principal, body: unknown): Promise<KnownItems> {
  const wanted = isObject(body) ? referencedIds(body['input']) : [];
  const ids = wanted.flatMap((id) => {
    const hex = /^(?:msg|fc|fco)_([0-9a-f]{32})$/.exec(id)?.[1];
    return hex ? uuidFromHex(hex) : [];
  });
  const items = await agent.findItems(owner, ids);
  return new Map(items.map((item) => [wireItemId(item.type, item.id), item]));
}

/** What client libraries list: the default under the service's own name, and every named route. */
function listModels(routes: readonly string[]): WireModels {
  const data = [PLACEHOLDER_MODEL, ...routes.filter((name) => name !== PLACEHOLDER_MODEL)].map((id) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'reborn',
  }));
  return { object: 'list', data };
}
