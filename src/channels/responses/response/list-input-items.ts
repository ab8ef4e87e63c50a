import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { type ContentPart, type Item, textOf } from '#domain/thread/item.ts';
import { renderItem, wireItemId } from './render-response.ts';
import type { wireInputItems } from './wire-list.ts';

const MOST = 100;
const LIMIT = `limit must be a whole number from 1 to ${MOST}.`;

export const inputItemsQuery = z.object({
  limit: z.coerce.number<string>(LIMIT).int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).default(20),
  order: z.enum(['asc', 'desc'], 'order must be asc or desc.').default('desc'),
  after: z.string('after must be the id of one of these items.').optional().describe('The id of the last known item.'),
});

/** A page of the input items of a response. */
export function listInputItems(
  items: readonly Item[],
  { limit, order, after }: z.infer<typeof inputItemsQuery>,
): z.infer<typeof wireInputItems> {
  const input = items.filter((item) => item.attempt === null);
  const ordered = order === 'asc' ? input : input.toReversed();
  const rest = after === undefined ? ordered : itemsAfter(ordered, after);
  const data = rest.slice(0, limit).map(renderInputItem);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rest.length > limit,
  };
}

function itemsAfter(items: readonly Item[], id: string): Item[] {
  const place = items.findIndex((item) => wireItemId(item.type, item.id) === id);
  if (place < 0) throw new InvalidRequest('invalid_request', 'after', 'after must be the id of one of these items.');
  return items.slice(place + 1);
}

type InputItem = z.infer<typeof wireInputItems>['data'][number];
type InputMessage = Extract<InputItem, { type: 'message'; role: 'user' | 'system' | 'developer' }>;

function renderInputItem(item: Item): InputItem {
  if (item.type !== 'message' || item.role === 'assistant') return renderItem(item);
  return {
    id: wireItemId(item.type, item.id),
    type: item.type,
    role: item.role,
    status: 'completed',
    content: item.content.map(renderPart),
  };
}

function renderPart(part: ContentPart): InputMessage['content'][number] {
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
