import { Conflict, NotFound } from '#domain/errors.ts';
import type { TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Placement } from '#domain/thread/thread.ts';
import type { Steers } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { lockThread } from '#store/threads/threads.ts';
import { findTurn, steerWith } from '#store/threads/turns.ts';
import { findPlacement } from './find-placement.ts';

/** Lets a message that waits steer the running turn, with the messages before it. Returns where it is then. */
export async function hurryTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  { threadId, turnId }: TurnIds,
  steers: Steers,
): Promise<Placement | null> {
  const { placed, steered } = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const turn = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !turn) throw new NotFound('This message is not in the queue.');
    if (turn.status !== 'queued' || thread.active === turnId)
      throw new Conflict('thread_busy', 'The message is no longer in the queue.');
    if (thread.active) await steerWith(trx, owner, turn, steers);
    const now = await findTurn(trx, owner, threadId, turnId);
    return { placed: now ? await findPlacement(trx, owner, now) : null, steered: now?.steers ? thread.active : null };
  });
  if (steered) engine.onSteered(steered);
  engine.notifyThread({ threadId, userId: owner.userId });
  return placed;
}
