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
import { activateNextTurn, endQueuedTurn, findTurn, requestCancel, type UnrunOutcome } from '#store/threads/turns.ts';

/**
 * Stops a turn, wherever it runs or waits; an ended one stays as it is. A turn that has not started and answers no gate ends
 * at once, and its thread passes to the next turn. Any other turn may have calls to close: a replica does so.
 */
export async function cancelTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  { threadId, turnId }: TurnIds,
  reason: CancelReason,
): Promise<void> {
  const outcome = outcomeOfCancel(reason);
  const { turn, endedAt, active } = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const found = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !found) throw new NotFound('This response does not exist.');
    if (isEnded(found)) return { turn: undefined };
    const ended = await endQueuedTurn(trx, owner, found, outcome);
    if (ended) await completeJob(trx, owner, found, outcome.failure ?? CANCELLED_JOB);
    else await requestCancel(trx, owner, found, reason);
    if (ended && thread.active === found.id) await activateNextTurn(trx, owner, threadId);
    return { turn: found, endedAt: ended, active: thread.active };
  });
  if (!turn) return;
  if (!endedAt) return engine.stopCancelled(turn);
  if (turn.steers && active && active !== turn.id) engine.onSteered(active);
  engine.notifyEnded(turn, { ...outcome, gate: null, usage: NO_USAGE, endedAt: endedAt.toISOString() });
  engine.notifyThread(turn); // those who follow the thread don't follow a turn that waits
}

/** How a turn ends that was cancelled for this reason. */
export function outcomeOfCancel(reason: CancelReason): UnrunOutcome {
  if (reason === 'cancelled') return { status: 'cancelled', failure: null };
  return { status: 'failed', failure: { code: reason, message: reason === 'turn_timeout' ? TIMED_OUT : UNANSWERED } };
}

const TIMED_OUT = 'The turn took too long to wait for. Use stream or background for long work.';
const UNANSWERED = 'The gate of this turn was not answered in time, so the call was denied.';
