import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { FetchLinks } from '#agent/attachments/fetch-links.ts';
import type { StartedTurn } from '#agent/input/start-turn.ts';
import { isObject } from '#domain/is-object.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { tryOf } from '#http/routes/request-try.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { sendThenAct } from '#http/server/write-all.ts';
import { dataFrame, sendEvents } from '#http/sse.ts';
import { parseWithLinks } from '../model-api/attachment.ts';
import { failedTurn, renderFailure, statusOf } from '../model-api/failed-turn.ts';
import { toKnownFiles } from '../model-api/file-id.ts';
import { checkFormat } from '../model-api/output-format.ts';
import { type ChatRequest, chatRequest, parseChatRequest } from './request/chat-request.ts';
import { linksOf, namedFiles } from './request/messages.ts';
import { DONE, isLast, streamCompletion, streamedChunk } from './response/chunks.ts';
import { chatCompletion, renderCompletion } from './response/completion.ts';

export type ChatCompletionsServices = {
  readonly agent: Agent;
  /** The names of the agent's tools, which callers can't use for theirs. */
  readonly toolNames: (owner: Principal) => Promise<ReadonlySet<string>>;
  /** Whether callers may define tools; true in a standard deployment. */
  readonly externalTools: boolean;
  /** The hosted tools that the operator serves. */
  readonly toolLimits: { readonly hosted: readonly string[] };
  readonly fetchLinks: FetchLinks;
  readonly timeoutSeconds: number;
  readonly limiter: Limiter;
  /** Holds every event stream while it is open. */
  readonly streams: Set<unknown>;
  /** The page where a person answers a gate. */
  readonly threadUrl: ThreadUrl;
};

const createCompletion = defineRoute({
  method: 'post',
  path: '/api/v1/chat/completions',
  summary: 'Answer a conversation in the format of chat completions.',
  headers: idempotencyHeader,
  uncheckedBody: chatRequest,
  responses: {
    200: {
      description: 'The answer, or a call of one of the tools. With `stream`, its chunks, and `[DONE]` at the end.',
      json: chatCompletion,
      events: streamedChunk,
    },
    400: {
      description: 'The request is invalid, or the turn failed. The message says why.',
      json: z.union([errorEnvelope, failedTurn]),
    },
    403: {
      description: 'The caller is not allowed to do this, or a person must act before the turn can succeed.',
      json: z.union([errorEnvelope, failedTurn]),
      text: z.literal('Email domain not allowed'),
    },
  },
  errors: [409, 413, 429],
  before: (request: FastifyRequest, { limiter }: ChatCompletionsServices) => limitSends(limiter)(request),
  async handle({ principal, request, reply }, services: ChatCompletionsServices) {
    const { agent, timeoutSeconds, threadUrl } = services;
    const taken = await services.toolNames(principal);
    const { body } = request;
    const files = toKnownFiles(await agent.findUploads(principal, isObject(body) ? namedFiles(body['messages']) : []));
    const servesSearch = services.toolLimits.hosted.includes('web_search');
    const parse = async () => {
      const chat = parseChatRequest(body, { ...services, files, servesSearch, isTaken: (name) => taken.has(name) });
      await checkFormat(agent, principal, chat.format, 'response_format.json_schema.schema');
      return chat;
    };
    const chat = await parseWithLinks(isObject(body) ? linksOf(body['messages']) : [], parse, services.fetchLinks);
    const started = await agent.startTurn(principal, {
      threadId: undefined,
      unknownThread: 'failed-turn',
      channel: 'chat-completions',
      items: chat.items,
      tools: chat.tools,
      request: {
        model: chat.model,
        temperature: chat.temperature,
        ...(chat.sampling && { sampling: chat.sampling }),
        ...(chat.format && { format: chat.format }),
        ...(chat.mustCall && { mustCall: true }),
        ...(chat.search && { search: chat.search }),
        echo: { metadata: chat.metadata, store: chat.store },
      },
      idempotency: idempotencyOf(request),
      ...traceOf(request),
      ...tryOf(request),
      ...(!chat.stream && { timeoutMs: timeoutSeconds * 1000 }),
      isUnstored: !chat.store,
    });

    if (chat.stream) return stream(services, request, reply, started, chat);
    const signal = whileConnected(request, reply);
    const ended = await agent.outcome(principal, started, { signal });
    if (signal.aborted) return hangUp(reply);
    const failure = renderFailure(ended, threadUrl);
    const answer = failure ?? renderCompletion(ended, chat.model);
    if (failure) reply.code(statusOf(failure));
    return chat.store ? reply.send(answer) : sendThenAct(reply, answer, () => discard(agent, request, started.turn));
  },
});

/** Chat completions. The route is also served without `/api`. */
export const chatCompletionsRoutes = [createCompletion];

async function stream(
  { agent, threadUrl, streams }: ChatCompletionsServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { turn, fresh }: StartedTurn,
  { model, includeUsage, store }: ChatRequest,
): Promise<FastifyReply> {
  const signal = whileConnected(request, reply);
  const chunks = streamCompletion(agent, request.principal, turn, {
    model,
    includeUsage,
    threadUrl,
    fresh: fresh && !isEnded(turn),
    signal,
  });
  const toFrame = (chunk: object | typeof DONE) => (chunk === DONE ? `data: ${DONE}\n\n` : dataFrame(chunk));
  streams.add(reply);
  try {
    const end = {
      isLast: (sent: Parameters<typeof isLast>[0]) => !store && isLast(sent, includeUsage),
      onSent: () => discard(agent, request, turn),
    };
    await sendEvents(reply, chunks, toFrame, signal, end);
  } finally {
    streams.delete(reply);
  }
  return reply;
}

/** The next request has the whole conversation again, so the thread is not needed. A failure is left to the sweep. */
async function discard(agent: Agent, { principal, log }: FastifyRequest, { threadId }: Turn): Promise<void> {
  try {
    await agent.deleteUnstored(principal, threadId);
  } catch (error) {
    log.error({ err: error });
  }
}
