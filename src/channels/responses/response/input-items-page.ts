import { z } from 'zod';
import type { Base64Of } from '#agent/attachments/attachments.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { firstWithin, isAttached } from '#domain/thread/attachment.ts';
import { type AttachedPart, type ContentPart, type Item, type NewItem, textOf } from '#domain/thread/item.ts';
import { fileId, formatFileId } from '../../model-api/file-id.ts';
import { compactionItem, functionCall, messageId, outputMessage, renderItem, wireItemId } from './output-items.ts';

const ownField = { origin: z.literal('own').optional() };
const nameField = { filename: z.string().min(1).optional() };

/** `origin` and `source` are there if the caller sent them, and `file_id` in place of bytes that they named. */
const inputPart = z
  .union([
    z.strictObject({
      type: z.literal('input_text'),
      text: z.string(),
      origin: z.literal('others').optional(),
      source: z.string().optional(),
    }),
    z.strictObject({ type: z.literal('input_image'), detail: z.literal('auto'), image_url: z.string(), ...ownField }),
    z.strictObject({ type: z.literal('input_image'), detail: z.literal('auto'), file_id: fileId, ...ownField }),
    z.strictObject({ type: z.literal('input_file'), file_data: z.string(), ...nameField, ...ownField }),
    z.strictObject({ type: z.literal('input_file'), file_id: fileId, ...nameField, ...ownField }),
  ])
  .meta({ id: 'InputPart' });

const inputMessage = z
  .strictObject({
    id: messageId,
    type: z.literal('message'),
    role: z.enum(['user', 'system', 'developer']),
    status: z.literal('completed'),
    content: z.array(inputPart),
  })
  .meta({ id: 'InputMessage' });

const functionCallOutput = z
  .strictObject({
    id: z.string().regex(/^fco_[0-9a-f]{32}$/),
    type: z.literal('function_call_output'),
    status: z.literal('completed'),
    call_id: z.string().min(1),
    output: z.union([z.string(), z.array(inputPart)]).describe('Its parts, if it has images or files.'),
  })
  .meta({ id: 'FunctionCallOutput' });

/** An assistant message of the input has the shape of an output item. */
export const inputItem = z
  .union([inputMessage, outputMessage, functionCall, functionCallOutput, compactionItem])
  .meta({ id: 'InputItem' });

/** A page of items. */
export const itemPage = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(inputItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .refine(({ data, first_id }) => first_id === (data[0]?.id ?? null), 'first_id is not the first id')
  .refine(({ data, last_id }) => last_id === (data.at(-1)?.id ?? null), 'last_id is not the last id')
  .meta({ id: 'ItemPage' });

const MOST = 100;
const LIMIT = `limit must be a whole number from 1 to ${MOST}.`;

export const itemPageQuery = z.object({
  limit: z.coerce.number<string>(LIMIT).int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string('after must be the id of one of these items.').optional().describe('The id of the last known item.'),
});

/** A page of the input items of a response. */
export function listInputItems(
  items: readonly Item[],
  { limit, order, after }: z.infer<typeof itemPageQuery>,
): InputPage {
  const input = items.filter((item) => item.attempt === null);
  const ordered = order === 'asc' ? input : input.toReversed();
  const rest = after === undefined ? ordered : itemsAfter(ordered, after);
  return cutPage(rest, limit);
}

/** The items of a page, before they are rendered. */
export type InputPage = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** Callers get the bytes of attachments in one text, so a page with large ones has fewer items. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** The first `limit` items of `rest`, or fewer. */
export function cutPage(rest: readonly Item[], limit: number): InputPage {
  const items = firstWithin(rest.slice(0, limit), MAX_PAGE_BYTES);
  return { items, hasMore: rest.length > items.length };
}

export function toItemPage(items: readonly NewItem[], hasMore: boolean, base64Of: Base64Of): z.infer<typeof itemPage> {
  const data = items.map((item) => renderInputItem(item, base64Of));
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function itemsAfter(items: readonly Item[], id: string): Item[] {
  const index = items.findIndex((item) => wireItemId(item.type, item.id) === id);
  if (index < 0) throw new InvalidRequest('invalid_request', 'after', 'after must be the id of one of these items.');
  return items.slice(index + 1);
}

type InputItem = z.infer<typeof itemPage>['data'][number];
type InputMessage = Extract<InputItem, { type: 'message'; role: 'user' | 'system' | 'developer' }>;

export function renderInputItem(item: NewItem, base64Of: Base64Of): InputItem {
  if (item.type === 'function_call_output')
    return {
      id: wireItemId(item.type, item.id),
      type: item.type,
      status: 'completed',
      call_id: item.callId,
      output: item.output.some(isAttached)
        ? item.output.map((part) => renderPart(part, base64Of))
        : textOf(item.output),
    };
  if (item.type !== 'message' || item.role === 'assistant') return renderItem(item);
  return {
    id: wireItemId(item.type, item.id),
    type: item.type,
    role: item.role,
    status: 'completed',
    content: item.content.map((part) => renderPart(part, base64Of)),
  };
}

function renderPart(part: ContentPart, base64Of: Base64Of): InputMessage['content'][number] {
  switch (part.type) {
    case 'text':
      return {
        type: 'input_text',
        text: part.text,
        ...(part.origin && { origin: part.origin }),
        ...(part.source !== undefined && { source: part.source }),
      };
    case 'image':
      return {
        type: 'input_image',
        detail: 'auto',
        ...(part.fileId ? { file_id: formatFileId(part.fileId) } : { image_url: dataUrl(part, base64Of) }),
        ...ownOf(part),
      };
    case 'file':
      return {
        type: 'input_file',
        ...(part.fileId ? { file_id: formatFileId(part.fileId) } : { file_data: dataUrl(part, base64Of) }),
        ...(part.filename && { filename: part.filename }),
        ...ownOf(part),
      };
  }
}

const ownOf = ({ origin }: AttachedPart) => origin && { origin };

const dataUrl = (part: AttachedPart, base64Of: Base64Of) => `data:${part.mediaType};base64,${base64Of(part)}`;
