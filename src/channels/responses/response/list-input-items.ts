import { InvalidRequest } from '#domain/errors.ts';
import { type ContentPart, type Item, type MessageItem, textOf } from '#domain/thread/item.ts';
import { renderItem, wireItemId } from './render-response.ts';

type Paging = { limit?: string; order?: string; after?: string };

const MOST = 100;
const USUAL = 20;

/** A page of the items that a response was given, newest first unless asked otherwise. */
export function listInputItems(items: readonly Item[], paging: Paging) {
  const limit = parseLimit(paging.limit);
  const input = items.filter((item) => item.attempt === null);
  const ordered = isAscending(paging.order) ? input : input.toReversed();
  const rest = paging.after === undefined ? ordered : itemsAfter(ordered, paging.after);
  const data = rest.slice(0, limit).map(renderInputItem);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rest.length > limit,
  };
}

function isAscending(order = 'desc'): boolean {
  if (order !== 'asc' && order !== 'desc')
    throw new InvalidRequest('invalid_request', 'order', 'order must be asc or desc.');
  return order === 'asc';
}

function itemsAfter(items: readonly Item[], id: string): Item[] {
  const place = items.findIndex((item) => wireItemId(item.type, item.id) === id);
  if (place < 0) throw new InvalidRequest('invalid_request', 'after', 'after must be the id of one of these items.');
  return items.slice(place + 1);
}

function parseLimit(limit: string | undefined): number {
  const count = limit === undefined ? USUAL : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new InvalidRequest('invalid_request', 'limit', `limit must be a whole number from 1 to ${MOST}.`);
  return count;
}

function renderInputItem(item: Item) {
  return item.type === 'message' && item.role !== 'assistant' ? renderInputMessage(item) : renderItem(item);
}

function renderInputMessage(item: MessageItem) {
  return {
    id: wireItemId(item.type, item.id),
    type: item.type,
    role: item.role,
    status: item.status,
    content: item.content.map(renderPart),
  };
}

function renderPart(part: ContentPart) {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: textOf([part]) };
    case 'image':
      return { type: 'input_image', detail: 'auto', image_url: dataUrl(part) };
    case 'file':
      return { type: 'input_file', file_data: dataUrl(part), ...(part.filename && { filename: part.filename }) };
  }
}

const dataUrl = ({ mediaType, base64 }: { mediaType: string; base64: string }) => `data:${mediaType};base64,${base64}`;
