import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Assistants } from '#agent/assistants/assistants.ts';
import type { CountInputTokens } from '#agent/input/input-tokens.ts';
import type { Conversations } from '#agent/threads/conversations.ts';
import type { Threads } from '#agent/threads/threads.ts';
import type { FollowedTurn } from '#agent/watch/follow-turn.ts';
import { noReplyYet, replyOf } from '#agent/watch/turn-reply.ts';
import type { Principal } from '#domain/principal.ts';
import type { Placement, ThreadUrl } from '#domain/thread/thread.ts';
import { isEnded } from '#domain/thread/turn.ts';
import { modelOfAssistant } from '#domain/work/assistant.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { formatResponseId, parseResponseId } from '#http/response-id.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { tryOf } from '#http/routes/request-try.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { sendEvents, typedFrame } from '#http/sse.ts';
import { refuseLinks } from '../model-api/attachment.ts';
import { compactResponse } from './compaction/compact-route.ts';
import { conversationRoutes } from './conversations/conversation-routes.ts';
import { createEmbeddingList, type EmbeddingServices } from './embeddings/embeddings-route.ts';
import { createRequest } from './request/create-request.ts';
import { type CreateServices, readCreate, toTurnInput } from './request/read-create.ts';
import { deliver, discard } from './response/delivery.ts';
import { itemPage, itemPageQuery, listInputItems, toItemPage } from './response/input-items-page.ts';
import { isTerminal } from './response/is-terminal.ts';
import { findModel, listModels, modelList, modelObject } from './response/model-list.ts';
import { echoOf } from './response/response-echo.ts';
import { streamResponse } from './response/response-events.ts';
import { PLACEHOLDER_MODEL, renderResponse, responseId, responseObject } from './response/response-object.ts';
import { streamEvent } from './response/stream-event.ts';

export type ResponsesServices = CreateServices &
  EmbeddingServices & {
    readonly countInputTokens: CountInputTokens;
    readonly conversations: Conversations;
    readonly threads: Threads;
    readonly timeoutSeconds: number;
    readonly limiter: Limiter;
    /** The names of the model routes. */
    readonly modelNames: () => Promise<readonly string[]>;
    readonly assistants: Pick<Assistants, 'list'>;
    /** Holds every event stream while it is open. */
    readonly streams: Set<unknown>;
    /** The page where a person answers a gate. */
    readonly threadUrl: ThreadUrl;
  };

const inputTokens = z
  .strictObject({ object: z.literal('response.input_tokens'), input_tokens: z.int().min(1) })
  .meta({ id: 'InputTokens' });

/** How long a cancel waits for the turn to end. */
const CANCEL_WAIT_MS = 5000;

const responseParams = z.object({
  id: z.string().transform((id, context) => {
    const ids = parseResponseId(id);
    if (!ids) context.addIssue('This response does not exist.');
    return ids ?? z.NEVER;
  }),
});

const createResponse = defineRoute({
  method: 'post',
  path: '/api/v1/responses',
  summary: 'Create a response to a message or a tool result.',
  headers: idempotencyHeader,
  uncheckedBody: createRequest,
  responses: {
    200: {
      description: 'The response. If the turn failed, `status` says so. With `stream`, its events.',
      json: responseObject,
      events: streamEvent,
    },
  },
  errors: [400, 404, 409, 413, 429],
  before: (request: FastifyRequest, { limiter }: ResponsesServices) => limitSends(limiter)(request),
  async handle({ principal, request, reply }, services: ResponsesServices) {
    const { agent, timeoutSeconds, threadUrl } = services;
    const create = await readCreate(services, request);
    const started = await agent.startTurn(principal, {
      ...toTurnInput(create, idempotencyOf(request)),
      ...traceOf(request),
      ...tryOf(request),
      ...(!create.stream && !create.background && { timeoutMs: timeoutSeconds * 1000 }),
    });

    const { turn, fresh, placed } = started;
    if (create.stream)
      return stream(services, request, reply, started, { model: create.model, startingAfter: -1, placed });
    if (create.background && fresh) return renderResponse(noReplyYet(turn), create.model, threadUrl, placed);
    if (create.background) {
      const record = await agent.getTurn(principal, { turnId: turn.id, threadId: turn.threadId });
      return renderResponse(replyOf(record), create.model, threadUrl, isEnded(record.turn) ? null : placed);
    }
    const signal = whileConnected(request, reply);
    const ended = await agent.outcome(principal, started, { signal });
    if (signal.aborted) return hangUp(reply);
    return deliver(agent, request, reply, ended.turn, renderResponse(ended, create.model, threadUrl));
  },
});

const getResponse = defineRoute({
  method: 'get',
  path: '/api/v1/responses/{id}',
  summary: 'Get a response, or its events.',
  params: responseParams,
  query: z.object({
    stream: z.string().optional().describe('`true`: answer with server-sent events.'),
    starting_after: z
      .string()
      .regex(/^\d{1,15}$/, 'starting_after must be the number of an event.')
      .optional()
      .describe('The `sequence_number` of the last event that the client has.'),
  }),
  responses: { 200: { description: 'The response, or its events.', json: responseObject, events: streamEvent } },
  errors: [400, 404],
  async handle({ principal, params, query, request, reply }, services: ResponsesServices) {
    const { agent, threadUrl } = services;
    const record = await agent.getTurn(principal, params.id);
    if (query.stream !== 'true' || request.method === 'HEAD')
      return deliver(agent, request, reply, record.turn, renderResponse(replyOf(record), PLACEHOLDER_MODEL, threadUrl));
    const startingAfter = Number(query.starting_after ?? -1);
    return stream(
      services,
      request,
      reply,
      { turn: record.turn, fresh: false },
      { model: PLACEHOLDER_MODEL, startingAfter },
    );
  },
});

const cancelResponse = defineRoute({
  method: 'post',
  path: '/api/v1/responses/{id}/cancel',
  summary: 'Cancel a response. A finished response stays as it is.',
  params: responseParams,
  responses: { 200: { description: 'The response.', json: responseObject } },
  errors: [400, 404],
  async handle({ principal, params }, { agent, threadUrl }: ResponsesServices) {
    await agent.cancelTurn(principal, params.id, 'cancelled');
    const { turn } = await agent.getTurn(principal, params.id);
    const signal = AbortSignal.timeout(CANCEL_WAIT_MS);
    const reply = await agent.outcome(principal, { turn, fresh: false }, { signal });
    return renderResponse(reply, PLACEHOLDER_MODEL, threadUrl);
  },
});

const deletedResponse = z
  .strictObject({ id: responseId, object: z.literal('response.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' });

const deleteResponse = defineRoute({
  method: 'delete',
  path: '/api/v1/responses/{id}',
  summary: 'Delete a response with its input and output. A running one is cancelled first.',
  params: responseParams,
  responses: { 200: { description: 'It is deleted.', json: deletedResponse } },
  errors: [404, 409],
  async handle({ principal, params }, { agent }: ResponsesServices) {
    await agent.deleteTurn(principal, params.id);
    return { id: formatResponseId(params.id), object: 'response.deleted' as const, deleted: true as const };
  },
});

const getInputItems = defineRoute({
  method: 'get',
  path: '/api/v1/responses/{id}/input_items',
  summary: 'List the input items of a response.',
  params: responseParams,
  query: itemPageQuery,
  responses: { 200: { description: 'A page of items.', json: itemPage } },
  errors: [400, 404],
  async handle({ principal, params, query }, { agent }: ResponsesServices) {
    const { items } = await agent.getTurn(principal, params.id);
    const page = listInputItems(items, query);
    return toItemPage(page.items, page.hasMore, await agent.readAttachments(principal, page.items));
  },
});

const countTokens = defineRoute({
  method: 'post',
  path: '/api/v1/responses/input_tokens',
  summary: 'Estimate the input tokens of a create with this body, without creating anything.',
  uncheckedBody: createRequest,
  responses: { 200: { description: 'The estimate.', json: inputTokens } },
  errors: [400, 404, 413],
  async handle({ principal, request }, services: ResponsesServices) {
    const create = await readCreate({ ...services, fetchLinks: refuseLinks }, request);
    const count = await services.countInputTokens(principal, toTurnInput(create));
    return { object: 'response.input_tokens' as const, input_tokens: count };
  },
});

const getModels = defineRoute({
  method: 'get',
  path: '/api/v1/models',
  summary: 'List the models and assistants that a request can name.',
  responses: { 200: { description: 'The models.', json: modelList } },
  async handle({ principal }, services: ResponsesServices) {
    return listModels(await namesFor(principal, services));
  },
});

const getModel = defineRoute({
  method: 'get',
  path: '/api/v1/models/{id}',
  summary: 'Get a model or an assistant that a request can name.',
  params: z.object({ id: z.string() }),
  responses: { 200: { description: 'The model.', json: modelObject } },
  errors: [404],
  async handle({ principal, params }, services: ResponsesServices) {
    return findModel(await namesFor(principal, services), params.id);
  },
});

/** The Responses API. It is also served without `/api`. */
export const responsesRoutes = [
  createResponse,
  getResponse,
  cancelResponse,
  deleteResponse,
  getInputItems,
  countTokens,
  compactResponse,
  createEmbeddingList,
  getModels,
  getModel,
  ...conversationRoutes,
];

/** Of two assistants with one name, the caller's own is used. */
async function namesFor(principal: Principal, { modelNames, assistants }: ResponsesServices): Promise<string[]> {
  const named = (await assistants.list(principal)).map(({ name }) => modelOfAssistant(name));
  return [...(await modelNames()), ...new Set(named)];
}

async function stream(
  { agent, threadUrl, streams }: ResponsesServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { turn, fresh }: FollowedTurn,
  how: { model: string; startingAfter: number; placed?: Placement | null },
): Promise<FastifyReply> {
  const signal = whileConnected(request, reply);
  const events = streamResponse(agent, request.principal, turn, {
    ...how,
    threadUrl,
    fresh: fresh && !isEnded(turn),
    signal,
  });
  streams.add(reply);
  try {
    const onSent = () => discard(agent, request.principal, turn, (error) => request.log.error({ err: error }));
    const end = echoOf(turn).store ? undefined : { isLast: isTerminal, onSent };
    await sendEvents(reply, events, typedFrame, signal, end);
  } finally {
    streams.delete(reply);
  }
  return reply;
}
