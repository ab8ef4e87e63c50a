import type { ItemId, ThreadId } from '#domain/ids.ts';
import { isOperator, type Principal } from '#domain/principal.ts';
import { WEBHOOK } from '#domain/thread/job.ts';
import type { ThreadListing } from '#domain/thread/thread.ts';
import type { Engine } from '#engine/engine.ts';
import type { ThreadChanged } from '#engine/events/thread-changes.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type FoundText, findSaid } from '#store/threads/item-texts.ts';
import {
  countThreads,
  findThread,
  type ListedThread,
  listThreads,
  type ThreadFilter,
} from '#store/threads/thread-listings.ts';
import { type FoundFile, findFiles } from '#store/workspaces/find-files.ts';
import type { Attachments } from '../attachments/attachments.ts';
import { stopChild } from '../input/cancel-turn.ts';
import { noThread } from './hold-thread.ts';
import { type ShownChild, showTree } from './show-tree.ts';
import { createThreadChanges } from './thread-changes.ts';
import { createThreadItems } from './thread-items.ts';
import { createThreadTurns } from './thread-turns.ts';

export type Threads = ReturnType<typeof createThreads>;

/** Threads as their owner sees and changes them. Missing and foreign threads both throw `NotFound`. */
export function createThreads(
  db: Database,
  engine: Engine,
  attachments: Attachments,
  codeHosts: readonly string[] = [],
) {
  const find = (owner: Principal, id: ThreadId): Promise<ThreadListing | undefined> =>
    withOwner(db, owner, (trx) => findThread(trx, owner, id));

  return {
    ...createThreadItems(db, attachments),
    ...createThreadTurns(db, engine),
    ...createThreadChanges(db, engine, codeHosts),

    list: (owner: Principal, filter: ThreadFilter): Promise<ListedThread[]> =>
      withOwner(db, owner, (trx) => listThreads(trx, owner, filter)),

    find,

    tree: (owner: Principal, id: ThreadId): Promise<ShownChild[]> => showTree(db, owner, id),

    /** Stops a child, and all below it. */
    stopChild: (owner: Principal, call: ItemId): Promise<void> => stopChild(db, engine, owner, call),

    /** The owner's messages that contain words which begin like these, newest first. */
    search: (owner: Principal, words: readonly string[], limit: number): Promise<FoundText[]> =>
      withOwner(db, owner, (trx) => findSaid(trx, owner, words, limit)),

    /** The owner's files in threads whose paths contain these words, newest first. */
    searchFiles: (owner: Principal, words: readonly string[], limit: number): Promise<FoundFile[]> =>
      withOwner(db, owner, (trx) => findFiles(trx, owner, words, limit)),

    count: (owner: Principal): Promise<number> => withOwner(db, owner, (trx) => countThreads(trx, owner)),

    async get(owner: Principal, id: ThreadId): Promise<ThreadListing> {
      const thread = await find(owner, id);
      if (!thread) throw noThread();
      return thread;
    },

    /** Calls `onChange` for each change of the principal's threads, and for operators also of webhook users' threads. Returns a function that stops it. */
    follow: (principal: Principal, onChange: (change: ThreadChanged) => void): (() => void) =>
      engine.followThreads(
        {
          userIds: [principal.userId],
          prefix: isOperator(principal) ? `${WEBHOOK.userId}:` : undefined,
        },
        onChange,
      ),
  };
}
