import { z } from 'zod';
import type { SealedSummary } from '#agent/compaction/sealed-summary.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { newId, type UploadId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { type ItemBody, type MessageRole, type NewItem, text } from '#domain/thread/item.ts';
import { nameIn } from '#domain/tool/tool.ts';
import type { LinkField } from '../../model-api/attachment.ts';
import { fileIdsIn, type KnownFiles } from '../../model-api/file-id.ts';
import { findLinks, content as givenContent, parseContent } from './content.ts';
import { FOREIGN_TYPES, isForeign, readForeignCalls } from './foreign-items.ts';

const ROLES = ['user', 'assistant', 'system', 'developer'] as const satisfies MessageRole[];

/** The most characters of a compaction's `encrypted_content`. */
const MAX_SEALED = 10_485_760;

const callIdField = z.string().min(1);

/** The published schema of an item that a caller sends. */
export const givenItem = z
  .union([
    z.looseObject({ type: z.literal('message').nullish(), role: z.enum(ROLES), content: givenContent }),
    z.looseObject({
      type: z.literal('function_call'),
      call_id: callIdField,
      name: z.string().min(1),
      arguments: z.string(),
    }),
    z.looseObject({ type: z.literal('function_call_output'), call_id: callIdField, output: givenContent }),
    z.looseObject({ type: z.literal('item_reference'), id: z.string() }).describe('An item of an earlier response.'),
    z
      .looseObject({ type: z.literal('compaction'), encrypted_content: z.string().max(MAX_SEALED) })
      .describe('As a response or a compaction returned it.'),
    z.looseObject({ type: z.enum(['reasoning', 'mcp_call']) }).describe('Ignored.'),
    z
      .looseObject({ type: z.enum(FOREIGN_TYPES) })
      .describe('An item of another service. Answered calls of its tools become history, and the rest is ignored.'),
  ])
  .meta({ id: 'GivenItem' });

/** The published schema of `input`; `parseInput` checks it. */
export const inputItems = z
  .union([z.string().regex(/\S/), z.array(givenItem).min(1)])
  .describe('A message, a tool result, or a whole history.');

/** What the items of a request can refer to. */
export type ItemSources = {
  /** Items of earlier responses, by the id they have on the wire. */
  readonly known: ReadonlyMap<string, NewItem>;
  /** The summary in the caller's compaction item; undefined when it can't be read. */
  readonly openSummary: (sealed: string) => SealedSummary | undefined;
  readonly files: KnownFiles;
};

const NO_SOURCES: ItemSources = { known: new Map(), openSummary: () => undefined, files: new Map() };

/** The wire ids that an unchecked input refers to. */
export function referencedIds(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item) =>
    isObject(item) && item['type'] === 'item_reference' && typeof item['id'] === 'string' ? item['id'] : [],
  );
}

/** The uploaded files that unchecked items name. */
export function namedFiles(items: unknown): UploadId[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) =>
    isObject(item) ? [...fileIdsIn(item['content']), ...fileIdsIn(item['output'])] : [],
  );
}

/** The https URLs in unchecked items. */
export function linksOf(items: unknown, param: string): LinkField[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown, index) =>
    isObject(item) && !isForeign(item)
      ? ['content', 'output'].flatMap((field) => findLinks(item[field], `${param}[${index}].${field}`))
      : [],
  );
}

/** The `input` of a request as items. Its content decides whether it answers a waiting thread. */
export function parseInput(input: unknown, continues: boolean, sources: ItemSources = NO_SOURCES): NewItem[] {
  if (typeof input === 'string') {
    if (input.trim() === '') throw refuse('input', 'input must not be blank.');
    return [toItem({ type: 'message', role: 'user', content: [text(input)], status: 'completed' })];
  }
  if (!Array.isArray(input)) throw refuse('input', 'input is required: a string or an array of items.');
  if (input.length === 0) throw refuse('input', 'input must hold at least one item.');

  const bodies = input.map((item, index) => parseItem(item, `input[${index}]`, sources));
  checkOutputs(bodies, continues);
  const foreign = readForeignCalls(input);
  const items = bodies.flatMap((body, index) => body ?? foreign.get(input[index]) ?? []).map(toItem);
  if (items.length === 0) throw refuse('input', 'input must hold at least one message or tool result.');
  return items;
}

/** Items that become history. `param` names the list. */
export function parseHistory(given: readonly unknown[], param: string, sources: ItemSources): NewItem[] {
  const foreign = readForeignCalls(given);
  return given
    .flatMap((item, index) => parseItem(item, `${param}[${index}]`, sources) ?? foreign.get(item) ?? [])
    .map(toItem);
}

const isRole = (role: unknown): role is MessageRole => ROLES.some((known) => known === role);

/** undefined for an item that is ignored, or belongs to another service. */
function parseItem(item: unknown, param: string, { known, openSummary, files }: ItemSources): ItemBody | undefined {
  if (!isObject(item)) throw refuse(param, 'An input item must be an object.');
  switch (item['type'] ?? ('role' in item ? 'message' : undefined)) {
    case 'message':
      return parseMessage(item, param, files);
    case 'function_call':
      return parseCall(item, param);
    case 'function_call_output':
      return parseOutput(item, param, files);
    case 'item_reference':
      return resolveReference(item, param, known);
    case 'compaction':
      return parseCompaction(item, param, openSummary);
    case 'reasoning': // the thread has what the model needs of it
    case 'mcp_call': // the thread has the agent's tool calls
      return undefined;
    default:
      if (isForeign(item)) return undefined;
      throw refuse(
        `${param}.type`,
        'The type must be message, function_call, function_call_output, compaction or item_reference.',
      );
  }
}

/** The ids of reasoning, and of calls that the agent has made. */
const OF_THE_AGENT = /^(?:rs|mcp|ci|sh|sho|ws|fs)_/;

function resolveReference(
  item: Record<string, unknown>,
  param: string,
  known: ItemSources['known'],
): ItemBody | undefined {
  const { id } = item;
  if (typeof id === 'string' && OF_THE_AGENT.test(id)) return undefined; // as in `parseItem`
  const found = typeof id === 'string' ? known.get(id) : undefined;
  if (!found)
    throw refuse(`${param}.id`, 'This item does not exist. Send the item itself, or its id as it was returned.');
  return found;
}

function parseMessage(item: Record<string, unknown>, param: string, files: KnownFiles): ItemBody {
  const { role } = item;
  if (!isRole(role)) throw refuse(`${param}.role`, 'role must be user, assistant, system or developer.');
  const content = parseContent(item['content'], `${param}.content`, files);
  return { type: 'message', role, content, status: 'completed' };
}

function parseCall(item: Record<string, unknown>, param: string): ItemBody {
  const { name, namespace, arguments: argumentsJson } = item;
  if (typeof name !== 'string' || name === '') throw refuse(`${param}.name`, 'name must be a non-empty string.');
  if (typeof argumentsJson !== 'string') throw refuse(`${param}.arguments`, 'arguments must be a string of JSON.');
  const call = { type: 'function_call', callId: parseCallId(item, param), arguments: argumentsJson } as const;
  return typeof namespace === 'string'
    ? { ...call, name: nameIn(namespace, name), namespace, external: true }
    : { ...call, name, external: true };
}

function parseOutput(item: Record<string, unknown>, param: string, files: KnownFiles): ItemBody {
  const output = item['output'] ?? undefined;
  if (output === undefined) throw refuse(`${param}.output`, 'output is required.');
  return {
    type: 'function_call_output',
    callId: parseCallId(item, param),
    output: parseContent(output, `${param}.output`, files),
  };
}

function parseCompaction(
  item: Record<string, unknown>,
  param: string,
  openSummary: ItemSources['openSummary'],
): ItemBody {
  const sealed = item['encrypted_content'];
  const field = `${param}.encrypted_content`;
  if (typeof sealed !== 'string') throw refuse(field, 'encrypted_content must be a string.');
  const opened = sealed.length > MAX_SEALED ? undefined : openSummary(sealed);
  if (!opened) throw refuse(field, 'This encrypted_content can not be read. Send it unchanged, as the same user.');
  return { type: 'compaction', ...opened, sealed };
}

function parseCallId(item: Record<string, unknown>, param: string): string {
  const callId = item['call_id'];
  if (typeof callId !== 'string' || callId === '')
    throw refuse(`${param}.call_id`, 'call_id must be a non-empty string.');
  return callId;
}

/**
 * Tool outputs alone answer a waiting thread, and the request must name that thread. Beside other items they are accepted
 * only when the client replays a whole history: the request names no thread, and each output follows its call.
 */
function checkOutputs(items: readonly (ItemBody | undefined)[], continues: boolean): void {
  const outputs = items.filter((item) => item?.type === 'function_call_output');
  if (outputs.length === 0) return;
  if (outputs.length === items.length) {
    if (!continues) throw refuse('previous_response_id', 'A tool result needs the previous_response_id it answers.');
    return;
  }
  const called = new Set<string>();
  const followsItsCall = (item: ItemBody | undefined) => {
    if (item?.type === 'function_call') called.add(item.callId);
    return item?.type !== 'function_call_output' || called.has(item.callId);
  };
  if (continues || !items.every(followsItsCall))
    throw refuse('input', 'Send function_call_output items alone; a message goes into a separate request.');
}

/** A referenced item is copied: it gets a new id. */
const toItem = (body: ItemBody): NewItem => ({ ...body, id: newId() });

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
