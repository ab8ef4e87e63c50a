import { NotFound } from '#domain/errors.ts';
import type { TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { CANCELLED_JOB } from '#domain/thread/job.ts';
import { type CancelReason, isEnded } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { completeJob } from '#store/threads/jobs.ts';
import { lockThread } from '#store/threads/threads.ts';
import { endQueuedTurn, findTurn, requestCancel } from '#store/threads/turns.ts';

/**
 * Stops a turn, wherever it runs or waits; an ended one stays as it is. A turn that has not started and has no say in
 * the thread's gates is over at once; any other is closed by the replica that runs it.
 */
export async function cancelTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  { threadId, turnId }: TurnIds,
  reason: CancelReason,
): Promise<void> {
  const { turn, endedAt } = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const found = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !found) throw new NotFound('There is no such response.');
    if (isEnded(found)) return { turn: undefined };
    const ended = thread.active === found.id ? undefined : await endQueuedTurn(trx, owner, found);
    if (ended) await completeJob(trx, owner, found, CANCELLED_JOB);
    else await requestCancel(trx, owner, found, reason);
    return { turn: found, endedAt: ended };
  });
  if (!turn) return;
  if (endedAt) engine.notifyEnded(turn, { ...CANCELLED, usage: NO_USAGE, endedAt: endedAt.toISOString() });
  else await engine.stopCancelled(turn);
}

const CANCELLED = { status: 'cancelled', failure: null, gate: null } as const;
