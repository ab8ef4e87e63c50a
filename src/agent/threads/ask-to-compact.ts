import { Conflict } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadListing } from '#domain/thread/thread.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { countUnsummarised } from '#store/threads/summaries.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { setCompactAsked } from '#store/threads/threads.ts';
import { holdThread, noThread } from './hold-thread.ts';

/** In bytes of JSON: about a thousand tokens. A summary of less is hardly shorter. */
const LEAST = 4000;
const TOO_LITTLE = 'There is too little to summarise: the messages since the last summary are short.';

/**
 * Lets the next turn begin with a summary of what was said before, or takes that back. The thread remembers it until a summary is
 * stored, in the write that stores it.
 */
export async function askToCompact(
  db: Database,
  engine: Pick<Engine, 'notifyThread'>,
  owner: Principal,
  threadId: ThreadId,
  asks: boolean,
): Promise<ThreadListing> {
  const thread = await holdThread(db, owner, threadId, async (trx) => {
    const before = await findThread(trx, owner, threadId);
    if (before?.compactAsked === asks) return before;
    if (asks && (await countUnsummarised(trx, owner, threadId)) < LEAST)
      throw new Conflict('nothing_to_compact', TOO_LITTLE);
    await setCompactAsked(trx, owner, threadId, asks ? new Date() : null);
    return findThread(trx, owner, threadId);
  });
  if (!thread) throw noThread();
  engine.notifyThread({ threadId, userId: owner.userId });
  return thread;
}
