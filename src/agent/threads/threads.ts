import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ItemId, ThreadId, TurnId, TurnIds } from '#domain/ids.ts';
import { isOperator, type Principal } from '#domain/principal.ts';
import { isAttached } from '#domain/thread/attachment.ts';
import { type ItemBody, partsOf, type TimedItem } from '#domain/thread/item.ts';
import { WEBHOOK } from '#domain/thread/job.ts';
import type { Thread, ThreadChange, ThreadListing } from '#domain/thread/thread.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { type TurnVersions, versionsOf } from '#domain/thread/versions.ts';
import type { Engine } from '#engine/engine.ts';
import type { ThreadChanged } from '#engine/events/thread-changes.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { holdFolder } from '#store/threads/folders.ts';
import { forkThread } from '#store/threads/fork-thread.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { type FoundText, findSaid } from '#store/threads/item-texts.ts';
import { findItems, vouchForItem } from '#store/threads/items.ts';
import { findItemPosition, type ItemPosition, listItemsBefore, listItemsOfTurn } from '#store/threads/thread-items.ts';
import {
  changeThread,
  countThreads,
  findThread,
  type ListedThread,
  listThreads,
  type ThreadFilter,
} from '#store/threads/thread-listings.ts';
import { deleteThread, lockThread } from '#store/threads/threads.ts';
import { findNewestModel, findTurnTimes } from '#store/threads/turn-details.ts';
import { findTurn, listQueued, listRefused, listTurnsFrom } from '#store/threads/turns.ts';
import { listSiblings } from '#store/threads/versions.ts';
import type { Attachments, Base64Of, OpenAttachment } from '../attachments/attachments.ts';
import { type ShownGate, showGate } from '../gates/shown-gate.ts';
import { withdrawTurn } from '../input/delete-turn.ts';

export type Threads = ReturnType<typeof createThreads>;

/**
 * `line` grows when another line of turns is shown. `versions`: of those turns on the page that have any. `refused`: the turns on
 * the page whose messages were refused at a gate, so that no model reads them.
 */
export type ItemsPage = {
  readonly items: readonly TimedItem[];
  readonly line: number;
  readonly versions: readonly TurnVersions[];
  readonly refused: readonly TurnId[];
};

export type QueuedTurn = { readonly turn: Turn; readonly items: readonly TimedItem[] };

type TurnsFrom = { readonly turns: readonly Turn[]; readonly active: TurnId | null; readonly line: number };

/** Threads as their owner sees and changes them. Missing and foreign threads both throw `NotFound`. */
export function createThreads(db: Database, engine: Engine, attachments: Attachments) {
  /** One transaction, during which the thread does not change. */
  const holding = <T>(
    owner: Principal,
    id: ThreadId,
    act: (trx: OwnedTransaction, thread: Thread) => Promise<T>,
  ): Promise<T> =>
    withOwner(db, owner, async (trx) => {
      const thread = await lockThread(trx, owner, id);
      if (!thread) throw noThread();
      return act(trx, thread);
    });

  const find = (owner: Principal, id: ThreadId): Promise<ThreadListing | undefined> =>
    withOwner(db, owner, (trx) => findThread(trx, owner, id));

  async function getPosition(trx: OwnedTransaction, owner: Principal, id: ThreadId, item: ItemId, param: string) {
    const position = await findItemPosition(trx, owner, id, item);
    if (!position) throw new InvalidRequest('invalid_request', param, `${param} is not an item of this thread.`);
    return position;
  }

  return {
    list: (owner: Principal, filter: ThreadFilter): Promise<ListedThread[]> =>
      withOwner(db, owner, (trx) => listThreads(trx, owner, filter)),

    find,

    /** The owner's messages that contain words which begin like these, newest first. */
    search: (owner: Principal, words: readonly string[], limit: number): Promise<FoundText[]> =>
      withOwner(db, owner, (trx) => findSaid(trx, owner, words, limit)),

    count: (owner: Principal): Promise<number> => withOwner(db, owner, (trx) => countThreads(trx, owner)),

    async get(owner: Principal, id: ThreadId): Promise<ThreadListing> {
      const thread = await find(owner, id);
      if (!thread) throw noThread();
      return thread;
    },

    /** The newest `limit` shown items before `before`, the oldest of them first. */
    items: (owner: Principal, id: ThreadId, page: { before: ItemId | undefined; limit: number }): Promise<ItemsPage> =>
      withOwner(db, owner, async (trx) => {
        const thread = await findThread(trx, owner, id);
        if (!thread) throw noThread();
        const { line } = thread;
        const before = page.before && (await getPosition(trx, owner, id, page.before, 'before'));
        const items = await listItemsBefore(trx, owner, id, { before: before || undefined, limit: page.limit });
        const turnIds = new Set(items.map(({ turnId }) => turnId));
        const refused = await listRefused(trx, owner, id, [...turnIds]);
        if (line === 0 || items.length === 0) return { items, line, versions: [], refused };
        const versions = versionsOf(await listSiblings(trx, owner, id, [...turnIds]));
        return { items, line, versions: versions.filter(({ turnId }) => turnIds.has(turnId)), refused };
      }),

    /** An image or a file of an item. */
    async getAttachment(owner: Principal, id: ThreadId, item: ItemId, index: number): Promise<OpenAttachment> {
      const found = await withOwner(db, owner, async (trx) =>
        (await findItemPosition(trx, owner, id, item)) ? findItems(trx, owner, [item]) : [],
      );
      const part = found.flatMap(partsOf)[index];
      if (!part || !isAttached(part)) throw new NotFound('There is no such attachment.');
      return attachments.open(owner, part);
    },

    /** Reads the bytes of the owner's items. */
    readAttachments: (owner: Principal, items: readonly ItemBody[]): Promise<Base64Of> =>
      attachments.base64Of(owner, items),

    /** All text of an item, such as of a message. */
    async getText(owner: Principal, id: ThreadId, item: ItemId): Promise<string> {
      const found = await withOwner(db, owner, async (trx) =>
        (await findItemPosition(trx, owner, id, item)) ? findItems(trx, owner, [item]) : [],
      );
      if (found.length === 0) throw new NotFound('There is no such item.');
      return found
        .flatMap(partsOf)
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join('\n');
    },

    /** The person has read an item and answers for it, so later turns don't judge calls by it. */
    vouch: (owner: Principal, id: ThreadId, item: ItemId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        const found = (await findItemPosition(trx, owner, id, item)) ? await findItems(trx, owner, [item]) : [];
        const [body] = found;
        if (!body) throw new NotFound('There is no such item.');
        if (body.type !== 'function_call_output' && !(body.type === 'message' && body.role === 'user'))
          throw new InvalidRequest('invalid_request', null, 'Only a message of a person or an output can be trusted.');
        await audited(
          trx,
          (changing) => vouchForItem(changing, owner, id, item),
          (isNew) =>
            isNew
              ? {
                  actor: owner.userId,
                  action: 'origin.vouch',
                  subject: item,
                  detail: { thread: id, type: body.type },
                }
              : 'no right changed',
        );
      }),

    async change(owner: Principal, id: ThreadId, change: ThreadChange): Promise<ThreadListing> {
      const thread = await withOwner(db, owner, async (trx) => {
        if (change.folderId && !(await holdFolder(trx, owner, change.folderId)))
          throw new InvalidRequest('invalid_request', 'folder_id', 'There is no such folder.');
        return (await changeThread(trx, owner, id, change)) ? findThread(trx, owner, id) : undefined;
      });
      if (!thread) throw noThread();
      engine.notifyThread({ threadId: id, userId: owner.userId });
      return thread;
    },

    /** A running turn stops, because its next write finds no thread. */
    async remove(owner: Principal, id: ThreadId): Promise<void> {
      await engine.flushEvents(); // events that are written later would stay until they expire
      const active = await holding(owner, id, async (trx, thread) => {
        const turn = thread.active && (await findTurn(trx, owner, id, thread.active));
        await deleteThread(trx, owner, id);
        return turn;
      });
      if (active) await engine.stopCancelled(active);
      engine.notifyThread({ threadId: id, userId: owner.userId });
    },

    /** A new thread with a copy of the items before `before`, or of all items. */
    async fork(owner: Principal, id: ThreadId, before: ItemId | undefined): Promise<ThreadListing> {
      const fork = await holding(owner, id, async (trx) => {
        const position: ItemPosition | undefined = before
          ? await getPosition(trx, owner, id, before, 'before_item_id')
          : undefined;
        const model = await findNewestModel(trx, owner, id);
        return findThread(trx, owner, await forkThread(trx, owner, id, position, model));
      });
      if (!fork) throw noThread();
      engine.notifyThread({ threadId: fork.id, userId: owner.userId });
      return fork;
    },

    /** The shown turns from number `seq` on, in order, the active one, and the number of the line; undefined when the thread no longer exists. */
    turnsFrom: (owner: Principal, id: ThreadId, seq: number): Promise<TurnsFrom | undefined> =>
      withOwner(db, owner, async (trx) => {
        const found = await listTurnsFrom(trx, owner, id, seq);
        if (found) return found;
        const thread = await findThread(trx, owner, id);
        return thread && { turns: [], active: null, line: thread.line };
      }),

    /** The number of the unfinished turn, if there is one, and the number of the turn that starts next. */
    async getEnd(owner: Principal, id: ThreadId): Promise<{ active: number | undefined; next: number }> {
      return holding(owner, id, async (trx, { active, lastSeq }) => {
        const turn = active === null ? undefined : await findTurn(trx, owner, id, active);
        const [waiting] = turn ? [] : await listQueued(trx, owner, id);
        return { active: turn?.seq, next: waiting?.seq ?? lastSeq + 1 };
      });
    },

    /** The input items of a turn. */
    inputOf: (owner: Principal, turn: Turn): Promise<TimedItem[]> =>
      withOwner(db, owner, async (trx) =>
        // Read again: its number grows when a gate before it is answered.
        (await listItemsOfTurn(trx, owner, (await findTurn(trx, owner, turn.threadId, turn.id)) ?? turn)).filter(
          (item) => item.attempt === null,
        ),
      ),

    /** The turns that wait behind the running one or the open gate, in order, with their input. */
    queue: (owner: Principal, id: ThreadId): Promise<QueuedTurn[]> =>
      holding(owner, id, async (trx) => {
        const queued: QueuedTurn[] = [];
        for (const turn of await listQueued(trx, owner, id))
          queued.push({ turn, items: await listItemsOfTurn(trx, owner, turn) });
        return queued;
      }),

    /** Removes a message from the queue, as if it had never been sent. */
    withdraw: (owner: Principal, ids: TurnIds): Promise<void> => withdrawTurn(db, engine, owner, ids),

    /** A turn of any of the owner's threads. */
    async getTurn(owner: Principal, id: TurnId): Promise<Turn> {
      const turn = await withOwner(db, owner, async (trx) => {
        const at = await findTurnTimes(trx, owner, id);
        return at && findTurn(trx, owner, at.threadId, id);
      });
      if (!turn) throw new NotFound('There is no such turn.');
      return turn;
    },

    /** The thread's open gate. */
    async findGate(owner: Principal, id: ThreadId): Promise<ShownGate | undefined> {
      const gate = await withOwner(db, owner, (trx) => findOpenGate(trx, owner, id));
      return gate && showGate(db, gate);
    },

    /** Calls `hear` for each change of the principal's threads, and for operators also of webhook users' threads. Returns a function that stops it. */
    follow: (principal: Principal, hear: (change: ThreadChanged) => void): (() => void) =>
      engine.followThreads(
        {
          userIds: [principal.userId],
          prefix: isOperator(principal) ? `${WEBHOOK.userId}:` : undefined,
        },
        hear,
      ),
  };
}

const noThread = () => new NotFound('There is no such thread.');
