import { NotFound } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Thread } from '#domain/thread/thread.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { lockThread } from '#store/threads/threads.ts';

/** One transaction, during which the thread does not change. */
export function holdThread<T>(
  db: Database,
  owner: Principal,
  id: ThreadId,
  act: (trx: OwnedTransaction, thread: Thread) => Promise<T>,
): Promise<T> {
  return withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, id);
    if (!thread) throw noThread();
    return act(trx, thread);
  });
}

export const noThread = () => new NotFound('This thread does not exist.');
