import type { TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEnding } from '#domain/thread/turn-event.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { repairTrees, wakeParentOf } from '#store/system/trees/repair-trees.ts';
import { cancelChildren } from '../input/cancel-turn.ts';

const POLL_EVERY_MS = 5000;

/**
 * What follows from the end of a run that is part of a tree: the run above continues when its last child has ended, and the children
 * of a run that has ended are cancelled. The replica that ends the turn does both at once. A task of the leader does them again, for
 * the case that it died in between.
 */
export function startFollowingChildren(
  {
    db,
    engine,
    onError,
  }: { readonly db: Database; readonly engine: Engine; readonly onError: (error: unknown) => void },
  pollEveryMs = POLL_EVERY_MS,
) {
  const underWay = new Set<Promise<void>>();
  const unfollow = engine.followEnds((turn, ending) => {
    if (!turn.tree || ending.status === 'waiting') return;
    const following = follow(db, engine, turn, ending).catch(onError);
    underWay.add(following);
    void following.finally(() => underWay.delete(following));
  });
  const polling = engine.startLeaderTask('delegations', pollEveryMs, async () => {
    const { woken, abandoning } = await repairTrees(engine.system);
    if (woken > 0) engine.wake();
    await eachAlone(abandoning, ({ run, userId }) => cancelChildren(db, engine, { userId, role: 'member' }, run));
  });
  return {
    stop: async () => {
      unfollow();
      await Promise.all([polling.stop(), ...underWay]);
    },
  };
}

async function follow(db: Database, engine: Engine, turn: Turn, ending: TurnEnding): Promise<void> {
  const run: TurnId = turn.run ?? turn.id;
  const owner: Principal = { userId: turn.userId, role: 'member' };
  await cancelChildren(db, engine, owner, run); // also after a message cut it off: its calls have their outputs
  if (!ending.steeredBy && (await wakeParentOf(engine.system, run))) engine.wake();
}
