import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ItemId, newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { firstWords } from '#domain/text/first-words.ts';
import { callerItems } from '#domain/thread/caller-items.ts';
import type { Item, NewItem } from '#domain/thread/item.ts';
import { MAX_THREAD_BYTES, type Thread } from '#domain/thread/thread.ts';
import { refusalAt, type TurnRequest } from '#domain/thread/turn.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { type Conversation, findConversation, replaceMetadata } from '#store/threads/conversations.ts';
import { deleteItem } from '#store/threads/delete-turn.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { findItemPosition, type ItemPosition, listItemsFrom, NEAR } from '#store/threads/thread-items.ts';
import { countBytes, insertThread, lockThread, takeNextPosition } from '#store/threads/threads.ts';
import { insertEndedTurn } from '#store/threads/turns.ts';
import type { Attachments } from '../attachments/attachments.ts';

export type { Conversation };
export type Conversations = ReturnType<typeof createConversations>;

type Metadata = Readonly<Record<string, unknown>>;
export type ItemsPage = { readonly after: ItemId | undefined; readonly order: 'asc' | 'desc'; readonly limit: number };

/**
 * Threads as the callers of an API see them: metadata, and the items that a caller has sent or received. A caller can add and
 * delete items between turns. Missing and foreign conversations both throw `NotFound`.
 */
export function createConversations(db: Database, engine: Engine, attachments: Attachments) {
  const notify = (owner: Principal, threadId: ThreadId) => engine.notifyThread({ threadId, userId: owner.userId });

  return {
    async create(owner: Principal, given: readonly NewItem[], metadata: Metadata): Promise<Conversation> {
      const items = await attachments.keep(owner, given);
      const made = await withOwner(db, owner, async (trx) => {
        const id = newId<ThreadId>();
        await insertThread(trx, owner, { id, lastSeq: 0, metadata });
        if (items.length > 0) await appendItems(trx, owner, id, items);
        return getConversation(trx, owner, id);
      });
      notify(owner, made.id);
      return made;
    },

    get: (owner: Principal, id: ThreadId): Promise<Conversation> =>
      withOwner(db, owner, (trx) => getConversation(trx, owner, id)),

    update: (owner: Principal, id: ThreadId, metadata: Metadata): Promise<Conversation> =>
      withOwner(db, owner, async (trx) => (await replaceMetadata(trx, owner, id, metadata)) ?? missing()),

    /** A page of its items, without the item `after`. */
    items: (owner: Principal, id: ThreadId, page: ItemsPage): Promise<Item[]> =>
      withOwner(db, owner, async (trx) => {
        await getConversation(trx, owner, id);
        return listCallerItems(trx, owner, id, page);
      }),

    getItem: (owner: Principal, id: ThreadId, item: ItemId): Promise<Item> =>
      withOwner(db, owner, (trx) => getCallerItem(trx, owner, id, item)),

    /** Adds items as the input of a turn that has ended, so that the next turn reads them as history. */
    async addItems(owner: Principal, id: ThreadId, given: readonly NewItem[]): Promise<void> {
      const items = await attachments.keep(owner, given);
      await withOwner(db, owner, (trx) => appendItems(trx, owner, id, items));
      notify(owner, id);
    },

    async removeItem(owner: Principal, id: ThreadId, item: ItemId): Promise<Conversation> {
      const changed = await withOwner(db, owner, async (trx) => {
        const thread = (await lockThread(trx, owner, id)) ?? missing();
        const found = await getCallerItem(trx, owner, id, item);
        const gate = await findOpenGate(trx, owner, id);
        checkIdle(thread, gate);
        await deleteItem(trx, owner, found);
        return getConversation(trx, owner, id);
      });
      notify(owner, id);
      return changed;
    },
  };
}

function missing(): never {
  throw new NotFound('This conversation does not exist.');
}

async function getConversation(trx: OwnedTransaction, owner: Principal, id: ThreadId): Promise<Conversation> {
  return (await findConversation(trx, owner, id)) ?? missing();
}

async function appendItems(
  trx: OwnedTransaction,
  owner: Principal,
  threadId: ThreadId,
  items: readonly NewItem[],
): Promise<void> {
  const { preview } = firstWords(items);
  const bytes = Buffer.byteLength(JSON.stringify(items));
  const thread = (await takeNextPosition(trx, owner, threadId, null, { preview, bytes })) ?? missing();
  const gate = await findOpenGate(trx, owner, threadId);
  if (gate?.kind === 'external-tool') throw new InvalidRequest('tool_output_missing', 'items', refusalAt(gate).message);
  checkIdle(thread, gate);
  if ((await countBytes(trx, owner, threadId)) > MAX_THREAD_BYTES)
    throw new Conflict('thread_full', 'This conversation holds as much as one can. Begin a new one.');
  const turn = { id: newId<TurnId>(), threadId, seq: thread.lastSeq, channel: 'responses' as const, request: REQUEST };
  await insertEndedTurn(trx, owner, turn, items);
}

const REQUEST: TurnRequest = { model: null, temperature: null, tools: [], echo: {} };

/** A running turn would miss the change, and an open gate refers to items of its thread. */
function checkIdle(thread: Thread, gate: OpenGate | undefined): void {
  if (thread.active)
    throw new Conflict(
      'thread_busy',
      'A response of this conversation is queued or in progress. Try again when it ended.',
    );
  if (gate) throw new Conflict('thread_busy', refusalAt(gate).message);
}

/** Reads on until the page is full, because most items of a thread can be the agent's. */
async function listCallerItems(
  trx: OwnedTransaction,
  owner: Principal,
  id: ThreadId,
  { after, order, limit }: ItemsPage,
): Promise<Item[]> {
  const found: Item[] = [];
  let from = after === undefined ? undefined : ((await findItemPosition(trx, owner, id, after)) ?? unknownItem());
  for (let size = limit; ; size = BATCH) {
    const batch = await listItemsFrom(trx, owner, id, { from, order, limit: size });
    const oldestFirst = order === 'asc' ? batch : batch.toReversed();
    const shown = callerItems(oldestFirst, await listCallsBefore(trx, owner, id, oldestFirst));
    found.push(...(order === 'asc' ? shown : shown.toReversed()));
    if (batch.length < size || found.length >= limit) return found.slice(0, limit);
    from = batch.at(-1);
  }
}

const BATCH = 100;

function unknownItem(): never {
  throw new InvalidRequest('invalid_request', 'after', 'after must be the id of an item of this conversation.');
}

/** The items before a batch, if the call of one of its outputs is not in the batch itself. */
async function listCallsBefore(
  trx: OwnedTransaction,
  owner: Principal,
  id: ThreadId,
  items: readonly Item[],
): Promise<Item[]> {
  const calls = new Set(items.flatMap((item) => (item.type === 'function_call' ? item.callId : [])));
  const [first] = items;
  if (!first || items.every((item) => item.type !== 'function_call_output' || calls.has(item.callId))) return [];
  return (await listItemsFrom(trx, owner, id, { from: first, order: 'desc', limit: NEAR })).toReversed();
}

async function getCallerItem(trx: OwnedTransaction, owner: Principal, id: ThreadId, item: ItemId): Promise<Item> {
  const at = await findItemPosition(trx, owner, id, item);
  const next: ItemPosition | undefined = at && { turnSeq: at.turnSeq, position: at.position + 1 };
  const [found] = next ? await listItemsFrom(trx, owner, id, { from: next, order: 'desc', limit: 1 }) : [];
  if (found?.id !== item || callerItems([found], await listCallsBefore(trx, owner, id, [found])).length === 0)
    throw new NotFound('This conversation has no item with this id.');
  return found;
}
