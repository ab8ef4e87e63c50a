import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { FetchLinks } from '#agent/attachments/fetch-links.ts';
import { hexFromUuid } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { tryOf } from '#http/routes/request-try.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { parseWithLinks } from '../../model-api/attachment.ts';
import { failedTurn, renderFailure, statusOf } from '../../model-api/failed-turn.ts';
import { linksOf } from '../request/input-items.ts';
import { findSources } from '../request/item-sources.ts';
import { deliver } from '../response/delivery.ts';
import { compactionItem, renderCompaction } from '../response/output-items.ts';
import { renderUsage, responseUsage, seconds } from '../response/response-object.ts';
import { compactRequest, parseCompact } from './compact-request.ts';

export type CompactionServices = {
  readonly agent: Agent;
  readonly timeoutSeconds: number;
  readonly limiter: Limiter;
  readonly threadUrl: ThreadUrl;
};

/** A conversation as the input of the next request. */
const compactedConversation = z
  .strictObject({
    id: z.string().regex(/^compact_[0-9a-f]{32}$/),
    object: z.literal('response.compaction'),
    created_at: z.int().min(0),
    output: z.array(compactionItem).length(1),
    usage: responseUsage,
  })
  .meta({ id: 'CompactedConversation' });

/** Compaction is a turn: it survives crashes, and it counts toward the limits and the spending of its user. */
export const compactResponse = defineRoute({
  method: 'post',
  path: '/api/v1/responses/compact',
  summary: 'Summarise a conversation into an item that replaces it in later requests.',
  headers: idempotencyHeader,
  uncheckedBody: compactRequest,
  responses: {
    200: { description: 'The compaction.', json: compactedConversation },
    400: { description: 'The request is invalid, or the turn failed.', json: z.union([errorEnvelope, failedTurn]) },
    403: { description: 'The user has spent the budget.', json: z.union([errorEnvelope, failedTurn]) },
  },
  errors: [404, 409, 413, 429],
  before: (request: FastifyRequest, { limiter }: CompactionServices) => limitSends(limiter)(request),
  async handle({ principal, request, reply }, { agent, timeoutSeconds, threadUrl }: CompactionServices) {
    const input = isObject(request.body) ? request.body['input'] : undefined;
    const sources = await findSources(agent, principal, input);
    const parse = async () => parseCompact(request.body, sources);
    const { previous, ...rest } = await parseWithLinks(linksOf(input, 'input'), parse, mentionLinks);
    const idempotency = keyOf(request);
    const started = await agent.startCompaction(principal, {
      ...rest,
      threadId: previous?.threadId,
      previousTurnId: previous?.turnId,
      idempotency,
      ...traceOf(request),
      ...tryOf(request),
      timeoutMs: timeoutSeconds * 1000,
      // With a key, the thread stays until the sweep finds it: the client may ask again for an answer that it has not received.
      echo: { store: idempotency !== undefined },
    });
    const signal = whileConnected(request, reply);
    const ended = await agent.outcome(principal, started, { signal });
    if (signal.aborted) return hangUp(reply);
    const { turn, made } = ended;
    const item = made.find((each) => each.type === 'compaction');
    const failure = renderFailure(ended, threadUrl);
    if (failure) return deliver(agent, request, reply.code(statusOf(failure)), turn, failure);
    if (!item) throw new Error(`The compaction ${turn.id} has no summary.`);
    const compacted: z.infer<typeof compactedConversation> = {
      id: `compact_${hexFromUuid(turn.id)}`,
      object: 'response.compaction',
      created_at: seconds(turn.createdAt),
      output: [renderCompaction(item)],
      usage: renderUsage(turn.usage),
    };
    return deliver(agent, request, reply, turn, compacted);
  },
});

/** A summary only mentions images and files, so they are not fetched. */
const mentionLinks: FetchLinks = async (links) =>
  links.map(({ kind }) => ({ mediaType: `${kind === 'image' ? 'image' : 'application'}/unknown`, base64: 'AAAA' }));

/** A key that was used for a create is another request, also with the same body. */
function keyOf(request: FastifyRequest) {
  const idempotency = idempotencyOf(request);
  return idempotency && { ...idempotency, digest: `compact ${idempotency.digest}` };
}
