import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { Conversations } from '#agent/threads/conversations.ts';
import type { Threads } from '#agent/threads/threads.ts';
import { InvalidRequest } from '#domain/errors.ts';
import type { ItemId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { findSources } from '../request/item-sources.ts';
import {
  cutPage,
  inputItem,
  itemPage,
  itemPageQuery,
  renderInputItem,
  toItemPage,
} from '../response/input-items-page.ts';
import { parseItemId } from '../response/output-items.ts';
import { formatConversationId, parseConversationId } from './conversation-id.ts';
import {
  conversation,
  deletedConversation,
  itemsField,
  metadataField,
  parseFields,
  parseItems,
  parseMetadata,
  renderConversation,
  toListed,
} from './conversation-shape.ts';

type Services = {
  readonly agent: Agent;
  readonly conversations: Conversations;
  readonly threads: Threads;
};

const conversationParams = z.object({
  id: z.string().transform((id, context) => {
    const threadId = parseConversationId(id);
    if (!threadId) context.addIssue('This conversation does not exist.');
    return threadId ?? z.NEVER;
  }),
});

const itemParams = conversationParams.extend({
  item: z.string().transform((id, context) => {
    const item = parseItemId(id);
    if (!item) context.addIssue('This conversation has no item with this id.');
    return item ?? z.NEVER;
  }),
});

const createConversation = defineRoute({
  method: 'post',
  path: '/api/v1/conversations',
  summary: 'Create a conversation: a new thread, with or without items.',
  uncheckedBody: z
    .looseObject({ items: itemsField.min(0).nullish(), metadata: metadataField.optional() })
    .meta({ id: 'CreateConversation' }),
  responses: { 200: { description: 'The conversation.', json: conversation } },
  errors: [400, 413],
  async handle({ principal, request }, { agent, conversations }: Services) {
    const { items, metadata } = parseFields(request.body);
    const sources = await findSources(agent, principal, items);
    const made = await conversations.create(
      principal,
      parseItems(items ?? [], sources),
      parseMetadata(metadata ?? null),
    );
    return renderConversation(made);
  },
});

const getConversation = defineRoute({
  method: 'get',
  path: '/api/v1/conversations/{id}',
  summary: 'Get a conversation. Every thread of the caller is one.',
  params: conversationParams,
  responses: { 200: { description: 'The conversation.', json: conversation } },
  errors: [404],
  async handle({ principal, params }, { conversations }: Services) {
    return renderConversation(await conversations.get(principal, params.id));
  },
});

const updateConversation = defineRoute({
  method: 'post',
  path: '/api/v1/conversations/{id}',
  summary: 'Replace the metadata of a conversation.',
  params: conversationParams,
  uncheckedBody: z.looseObject({ metadata: metadataField }).meta({ id: 'UpdateConversation' }),
  responses: { 200: { description: 'The changed conversation.', json: conversation } },
  errors: [400, 404, 413],
  async handle({ principal, params, request }, { conversations }: Services) {
    const metadata = parseMetadata(parseFields(request.body)['metadata']);
    return renderConversation(await conversations.update(principal, params.id, metadata));
  },
});

const deleteConversation = defineRoute({
  method: 'delete',
  path: '/api/v1/conversations/{id}',
  summary: 'Delete a conversation: its thread and everything in it. A response in progress is stopped.',
  params: conversationParams,
  responses: { 200: { description: 'The conversation is deleted.', json: deletedConversation } },
  errors: [404],
  async handle({ principal, params }, { threads }: Services) {
    await threads.remove(principal, params.id);
    return { id: formatConversationId(params.id), object: 'conversation.deleted' as const, deleted: true as const };
  },
});

const listConversationItems = defineRoute({
  method: 'get',
  path: '/api/v1/conversations/{id}/items',
  summary: "List the items of a conversation, without the agent's tool calls.",
  params: conversationParams,
  query: itemPageQuery,
  responses: { 200: { description: 'A page of items.', json: itemPage } },
  errors: [400, 404],
  async handle({ principal, params, query: { after, limit, order } }, { agent, conversations }: Services) {
    const page = { after: after === undefined ? undefined : parseAfter(after), order, limit: limit + 1 };
    const found = await conversations.items(principal, params.id, page);
    const { items, hasMore } = cutPage(found, limit);
    return toItemPage(items.map(toListed), hasMore, await agent.readAttachments(principal, items));
  },
});

const addConversationItems = defineRoute({
  method: 'post',
  path: '/api/v1/conversations/{id}/items',
  summary: 'Add items to a conversation that has no response in progress.',
  params: conversationParams,
  uncheckedBody: z.looseObject({ items: itemsField }).meta({ id: 'AddItems' }),
  responses: { 200: { description: 'The added items.', json: itemPage } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params, request }, { agent, conversations }: Services) {
    const { items: given } = parseFields(request.body);
    if (Array.isArray(given) && given.length === 0)
      throw new InvalidRequest('invalid_request', 'items', 'items must hold at least one item.');
    const items = parseItems(given, await findSources(agent, principal, given));
    if (items.length > 0) await conversations.addItems(principal, params.id, items);
    else await conversations.get(principal, params.id);
    return toItemPage(items.map(toListed), false, await agent.readAttachments(principal, items));
  },
});

const getConversationItem = defineRoute({
  method: 'get',
  path: '/api/v1/conversations/{id}/items/{item}',
  summary: 'Get an item of a conversation.',
  params: itemParams,
  responses: { 200: { description: 'The item.', json: inputItem } },
  errors: [404],
  async handle({ principal, params: { id, item } }, { agent, conversations }: Services) {
    const found = await conversations.getItem(principal, id, item);
    return renderInputItem(toListed(found), await agent.readAttachments(principal, [found]));
  },
});

const deleteConversationItem = defineRoute({
  method: 'delete',
  path: '/api/v1/conversations/{id}/items/{item}',
  summary: 'Delete an item of a conversation that has no response in progress.',
  params: itemParams,
  responses: { 200: { description: 'The conversation.', json: conversation } },
  errors: [404, 409],
  async handle({ principal, params: { id, item } }, { conversations }: Services) {
    return renderConversation(await conversations.removeItem(principal, id, item));
  },
});

export const conversationRoutes = [
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
  listConversationItems,
  addConversationItems,
  getConversationItem,
  deleteConversationItem,
];

function parseAfter(after: string): ItemId {
  const id = parseItemId(after);
  if (!id)
    throw new InvalidRequest('invalid_request', 'after', 'after must be the id of an item of this conversation.');
  return id;
}
