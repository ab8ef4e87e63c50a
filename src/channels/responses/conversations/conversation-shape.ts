import { z } from 'zod';
import type { Conversation } from '#agent/threads/conversations.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { NewItem } from '#domain/thread/item.ts';
import { isShallow, jsonBytes } from '../../model-api/json-value.ts';
import { givenItem, type ItemSources, parseHistory } from '../request/input-items.ts';
import { conversationId, formatConversationId } from './conversation-id.ts';

const MAX_METADATA_BYTES = 16_384;
const MAX_METADATA_DEPTH = 100;
const MAX_ITEMS = 20;

export const conversation = z
  .strictObject({
    id: conversationId.describe('`conv_` and the id of the thread.'),
    object: z.literal('conversation'),
    created_at: z.int().min(0),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Conversation' });

export const deletedConversation = z
  .strictObject({ id: conversationId, object: z.literal('conversation.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedConversation' });

export const metadataField = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe(`At most ${MAX_METADATA_BYTES.toLocaleString('en-US')} bytes of JSON.`);

export const itemsField = z.array(givenItem).min(1).max(MAX_ITEMS).describe('Stored as history; no model is asked.');

export function renderConversation({ id, createdAt, metadata }: Conversation): z.infer<typeof conversation> {
  return {
    id: formatConversationId(id),
    object: 'conversation',
    created_at: Math.floor(createdAt.getTime() / 1000),
    metadata: metadata ?? {},
  };
}

export function parseMetadata(metadata: unknown): Record<string, unknown> {
  const refuse = (message: string) => new InvalidRequest('invalid_request', 'metadata', message);
  if (metadata === null) return {};
  if (!isObject(metadata)) throw refuse('metadata must be an object.');
  if (!isShallow(metadata, MAX_METADATA_DEPTH)) throw refuse('metadata is nested too deeply.');
  if ((jsonBytes(metadata) ?? Infinity) > MAX_METADATA_BYTES)
    throw refuse(`metadata must not exceed ${MAX_METADATA_BYTES} bytes of JSON.`);
  return metadata;
}

/** The bodies of these routes are small objects whose fields are checked one by one. A missing body has no fields. */
export function parseFields(body: unknown): Record<string, unknown> {
  if (body === undefined || body === null) return {};
  if (!isObject(body)) throw new InvalidRequest('invalid_request', null, 'The body must be a JSON object.');
  return body;
}

/** Returns an empty list when a client sends only items that are ignored. */
export function parseItems(items: unknown, sources: ItemSources): NewItem[] {
  const refuse = (message: string) => new InvalidRequest('invalid_request', 'items', message);
  if (!Array.isArray(items)) throw refuse('items must be an array of items.');
  if (items.length > MAX_ITEMS) throw refuse(`items must hold at most ${MAX_ITEMS} items. Send the rest separately.`);
  return parseHistory(items, 'items', sources);
}

/**
 * The item as a conversation lists it. A developer message is a system message for the model, and it is listed as
 * one, because the session of the Agents SDK fails to read developer messages.
 */
export const toListed = (item: NewItem): NewItem =>
  item.type === 'message' && item.role === 'developer' ? { ...item, role: 'system' } : item;
