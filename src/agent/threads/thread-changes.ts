import { InvalidRequest } from '#domain/errors.ts';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadChange, ThreadListing } from '#domain/thread/thread.ts';
import type { Engine } from '#engine/engine.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { holdProject } from '#store/projects/projects.ts';
import { repairTrees } from '#store/system/trees/repair-trees.ts';
import { forkThread } from '#store/threads/fork-thread.ts';
import { changeThread, findThread } from '#store/threads/thread-listings.ts';
import { deleteThread } from '#store/threads/threads.ts';
import { findNewestRequest } from '#store/threads/turn-details.ts';
import { findTurn } from '#store/threads/turns.ts';
import { askToCompact } from './ask-to-compact.ts';
import { holdThread, noThread } from './hold-thread.ts';
import { getPosition } from './thread-items.ts';

const NO_HOSTS = 'The operator lists no hosts that code can reach (SANDBOX_HOSTS).';

/** What an owner does with a whole thread. */
export function createThreadChanges(db: Database, engine: Engine, codeHosts: readonly string[]) {
  const notify = (owner: Principal, threadId: ThreadId) => engine.notifyThread({ threadId, userId: owner.userId });

  return {
    async change(owner: Principal, id: ThreadId, change: ThreadChange): Promise<ThreadListing> {
      if (change.network && codeHosts.length === 0) throw new InvalidRequest('invalid_request', 'network', NO_HOSTS);
      const thread = await withOwner(db, owner, async (trx) => {
        if (change.projectId && !(await holdProject(trx, owner, change.projectId)))
          throw new InvalidRequest('invalid_request', 'project_id', 'This project does not exist.');
        const entry = {
          actor: owner.userId,
          action: 'thread.network',
          subject: id,
          detail: { allowed: change.network },
        };
        const isThere = await audited(
          trx,
          (writing) => changeThread(writing, owner, id, change),
          (found) => (found && change.network !== undefined ? entry : 'no right changed'),
        );
        return isThere ? findThread(trx, owner, id) : undefined;
      });
      if (!thread) throw noThread();
      notify(owner, id);
      return thread;
    },

    /** The next turn begins with a summary of what was said before, or no longer. */
    askToCompact: (owner: Principal, id: ThreadId, asks: boolean): Promise<ThreadListing> =>
      askToCompact(db, engine, owner, id, asks),

    /** A running turn stops, because its next write finds no thread. */
    async remove(owner: Principal, id: ThreadId): Promise<void> {
      await engine.flushEvents(); // events that are written later would stay until they expire
      const active = await holdThread(db, owner, id, async (trx, thread) => {
        const turn = thread.active && (await findTurn(trx, owner, id, thread.active));
        await deleteThread(trx, owner, id);
        return turn;
      });
      if (active) await engine.stopCancelled(active);
      if (active?.tree && (await repairTrees(engine.system)).woken > 0) engine.wake(); // the run above waits no longer
      notify(owner, id);
    },

    /** A new thread with a copy of the items before `before`, or of all items. */
    async fork(owner: Principal, id: ThreadId, before: ItemId | undefined): Promise<ThreadListing> {
      const fork = await holdThread(db, owner, id, async (trx) => {
        const position = before ? await getPosition(trx, owner, id, before, 'before_item_id') : undefined;
        const newest = await findNewestRequest(trx, owner, id);
        return findThread(trx, owner, await forkThread(trx, owner, id, position, newest));
      });
      if (!fork) throw noThread();
      notify(owner, fork.id);
      return fork;
    },
  };
}
