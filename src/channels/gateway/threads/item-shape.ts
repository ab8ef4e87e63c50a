import { z } from 'zod';
import type { Citations } from '#domain/search/citations.ts';
import { sizeOfPart } from '#domain/thread/attachment.ts';
import {
  blockReasonOf,
  type ContentPart,
  type FunctionCallOutputBody,
  type NewItem,
  type TimedItem,
  text,
} from '#domain/thread/item.ts';
import type { Reads } from '#domain/thread/origin.ts';
import { ANSWERERS } from '#domain/tool/call-decision.ts';
import { renderUsd, type Usage } from '#domain/usage.ts';
import { renderAs } from '#http/routes/render-as.ts';

/** What one or more model calls used. `cost_usd` is a decimal, or null when a price is unknown. */
export const spent = z
  .strictObject({
    input_tokens: z.int().min(0),
    cached_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    reasoning_tokens: z.int().min(0),
    cost_usd: z.string().nullable(),
  })
  .meta({ id: 'Spent' });

/** `url` serves the bytes of an image or a file. It is null until the item is stored in its thread. */
const attachedFields = {
  media_type: z.string(),
  bytes: z.int().min(0),
  url: z.string().nullable(),
  origin: z
    .literal('own')
    .optional()
    .describe('The sender of the message wrote it. Otherwise it counts as text by others.'),
};

const vouched = z
  .literal(true)
  .optional()
  .describe('The person has read it and trusts it: later calls are not judged by it.');

const reads = z
  .strictObject({ foreign: z.boolean(), private: z.boolean() })
  .optional()
  .describe('Whether others wrote it, and whether only the person may see it. Missing where it is not recorded.');

const itemPart = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('text'),
      text: z.string(),
      origin: z
        .literal('others')
        .optional()
        .describe('The sender of the message did not write it: it is forwarded or quoted.'),
      source: z.string().optional().describe('Where a text by others comes from, in a word.'),
    }),
    z.strictObject({ type: z.literal('image'), ...attachedFields }),
    z.strictObject({ type: z.literal('file'), filename: z.string().nullable(), ...attachedFields }),
  ])
  .meta({ id: 'ItemPart' });

const citations = z
  .strictObject({
    marks: z.array(
      z.strictObject({
        start: z.int().min(0).describe('Where the marker is in the text, in UTF-16 units.'),
        end: z.int().min(0),
        number: z.int().min(0),
        page: z.int().min(0).optional(),
        check: z
          .enum(['unknown', 'missing', 'quoted', 'read', 'found'])
          .describe(
            '`unknown`: there is no such source. `missing`: quoted words are not on the page; `quoted`: they are. Without a quotation, `read` if the page was read and `found` if a search only found it.',
          ),
        quotation: z.string().optional(),
      }),
    ),
    sources: z.array(
      z.strictObject({
        number: z.int().min(1),
        url: z.string(),
        title: z.string(),
        published: z.string().nullable(),
        how: z.enum(['found', 'read']),
      }),
    ),
    files: z
      .array(
        z.strictObject({
          start: z.int().min(0),
          end: z.int().min(0),
          file: z.string().describe('The path of the document.'),
          page: z.int().min(0),
          check: z
            .enum(['unknown', 'missing', 'unchecked', 'quoted', 'read'])
            .describe('`unchecked`: words are quoted, and the page has no text to compare them with.'),
          quotation: z.string().optional(),
        }),
      )
      .optional()
      .describe('The markers of documents, such as `[lease.pdf, p. 7]`.'),
  })
  .optional()
  .describe('The markers of sources in an answer, such as `[s3]`, as the service has checked them.');

const message = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.array(itemPart),
  /** `incomplete`: the model stopped, failed or was cancelled before the end. */
  status: z.enum(['completed', 'incomplete']),
  author: z.literal('agent').optional().describe("A model wrote it in the person's place."),
  /** Of a summary: what was read that it sums up. */
  reads,
  vouched,
  citations,
};

const call = {
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().describe('JSON text, exactly as the model wrote it; `{}` if the call is blocked.'),
  external: z.boolean().describe('Whether the caller runs it, not the service.'),
  blocked: z
    .enum(['leak', 'unsearched'])
    .optional()
    .describe(
      'Why the service refused to run it. `leak`: the arguments held a stored secret. `unsearched`: they are too long to be searched for secrets, or the search took too long.',
    ),
};

const decided = z
  .strictObject({
    answer: z.enum(['approved', 'denied', 'expired', 'rule']),
    by: z.enum(ANSWERERS).optional().describe('The owner of the thread, or the operator for them.'),
    at: z.iso.datetime().optional(),
    reason: z.string().optional().describe('Why the call was denied.'),
  })
  .optional()
  .describe(
    'How the call was decided: by the answer to a gate, by nobody in time, or by a rule that the person made with `always`. Missing if nobody was asked, and in older items.',
  )
  .meta({ id: 'CallDecision' });

const output = {
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.array(itemPart),
  decided,
  reads,
  vouched,
};

const idField = { id: z.uuid() };

/** An item in an event, which does not know its position yet. */
export const bareItem = z
  .discriminatedUnion('type', [
    z.strictObject({ ...idField, ...message }),
    z.strictObject({ ...idField, ...call }),
    z.strictObject({ ...idField, ...output }),
  ])
  .meta({ id: 'BareItem' });

const positionFields = {
  ...idField,
  turn_id: z.uuid(),
  turn_seq: z.int().min(1).describe("The turn's number in the thread."),
  position: z.int().min(0).describe("The item's number in its turn."),
  attempt: z.int().min(0).nullable().describe('The attempt that wrote it; null for an item of the input.'),
  usage: spent.nullable().describe('What the model call used; set on the first item of each answer.'),
  created_at: z.iso.datetime(),
};

/** An item of a thread. Items are ordered by (turn_seq, position). */
export const threadItem = z
  .discriminatedUnion('type', [
    z.strictObject({ ...positionFields, ...message }),
    z.strictObject({
      ...positionFields,
      ...call,
      started_at: z.iso.datetime().nullable().describe('When its tool was started.'),
      ended_at: z.iso.datetime().nullable().describe('When its output was written.'),
    }),
    z.strictObject({ ...positionFields, ...output }),
  ])
  .meta({ id: 'ThreadItem' });

export function renderItem(item: TimedItem): z.infer<typeof threadItem> {
  const position = {
    turn_id: item.turnId,
    turn_seq: item.turnSeq,
    position: item.position,
    attempt: item.attempt,
    usage: item.usage && renderUsage(item.usage),
    created_at: item.createdAt.toISOString(),
  };
  const bare = renderBareItem(item, item.threadId);
  if (bare.type !== 'function_call') return { ...position, ...bare };
  return {
    ...position,
    ...bare,
    started_at: item.startedAt?.toISOString() ?? null,
    ended_at: item.endedAt?.toISOString() ?? null,
  };
}

/** With `threadId`, the item is stored in that thread, and its bytes can be fetched. */
export function renderBareItem(item: NewItem, threadId?: string): z.infer<typeof bareItem> {
  const parts = (content: readonly ContentPart[]) =>
    content.map((part, index) => renderPart(part, threadId === undefined ? null : partUrl(threadId, item.id, index)));
  const { id } = item;
  switch (item.type) {
    case 'message':
      return {
        id,
        type: item.type,
        role: item.role,
        content: parts(item.content),
        status: item.status,
        ...(item.author && { author: item.author }),
        ...(item.vouched && { vouched: item.vouched }),
        ...(item.citations && { citations: renderCitations(item.citations) }),
      };
    case 'function_call': {
      const { type, callId, name, arguments: json, external } = item;
      const blocked = blockReasonOf(item);
      return { id, type, call_id: callId, name, arguments: json, external, ...(blocked && { blocked }) };
    }
    case 'function_call_output':
      return {
        id,
        type: item.type,
        call_id: item.callId,
        output: parts(item.output),
        ...renderDecided(item),
        ...renderReads(item.reads),
        ...(item.vouched && { vouched: item.vouched }),
      };
    case 'compaction': // shown like a message: clients of the gateway need not know it
      return {
        id,
        type: 'message',
        role: 'system',
        content: parts([text(item.summary)]),
        status: 'completed',
        ...renderReads(item.reads),
      };
  }
}

const renderCitations = ({ marks, sources, files }: Citations): z.infer<typeof citations> => ({
  marks: [...marks],
  sources: sources.map(({ number, url, title, published, how }) => ({ number, url, title, published, how })),
  ...(files && { files: [...files] }),
});

function renderDecided({ decided: stored, allowedBy }: FunctionCallOutputBody): { decided?: z.infer<typeof decided> } {
  if (stored) return { decided: { ...stored } };
  return allowedBy === 'always' ? { decided: { answer: 'rule' } } : {};
}

const renderReads = (found: Reads | undefined) =>
  found ? { reads: { foreign: found.foreign ?? false, private: found.private ?? false } } : {};

export const partUrl = (threadId: string, itemId: string, index: number): string =>
  `/api/threads/${threadId}/items/${itemId}/parts/${index}`;

function renderPart(part: ContentPart, url: string | null): z.infer<typeof itemPart> {
  if (part.type === 'text') {
    const { type, text: words, origin, source } = part;
    return { type, text: words, ...(origin && { origin }), ...(source !== undefined && { source }) };
  }
  const own = part.origin && { origin: part.origin };
  const attached = { media_type: part.mediaType, bytes: sizeOfPart(part), url, ...own };
  return part.type === 'image'
    ? { type: part.type, ...attached }
    : { type: part.type, filename: part.filename, ...attached };
}

export const renderUsage = (usage: Usage): z.infer<typeof spent> =>
  renderAs(spent, usage, {
    cached_tokens: usage.cachedInputTokens,
    cost_usd: usage.cost && renderUsd(usage.cost.inputUsd + usage.cost.outputUsd),
  });
