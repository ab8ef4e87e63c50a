import { NotFound } from '#domain/errors.ts';
import type { ItemId, TurnId, TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { CANCELLED_JOB } from '#domain/thread/job.ts';
import { type CancelReason, isEnded, type Turn } from '#domain/thread/turn.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findChild, findNewestTurn, listUnfinished } from '#store/delegations/delegations.ts';
import { wakeTurn } from '#store/system/trees/repair-trees.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { completeJob } from '#store/threads/jobs.ts';
import { lockThread } from '#store/threads/threads.ts';
import { activateNextTurn, endQueuedTurn, findTurn, requestCancel, type UnrunOutcome } from '#store/threads/turns.ts';
import { abandonGate } from '../gates/supersede-gate.ts';

/**
 * Stops a turn, wherever it runs or waits, also for a person's answer; an ended one stays as it is. A turn that has not started
 * and answers no gate ends at once, and its thread passes to the next turn. Any other turn may have calls to close: a replica
 * does so.
 */
export async function cancelTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  { threadId, turnId }: TurnIds,
  reason: CancelReason,
): Promise<void> {
  const outcome = outcomeOfCancel(reason);
  const { turn, endedAt, active, gate } = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const found = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !found) throw new NotFound('This response does not exist.');
    if (isEnded(found))
      return { turn: undefined, gate: reason === 'cancelled' ? await findOwnGate(trx, owner, found) : undefined };
    const ended = await endQueuedTurn(trx, owner, found, outcome);
    if (ended) await completeJob(trx, owner, found, outcome.failure ?? CANCELLED_JOB);
    else await requestCancel(trx, owner, found, reason);
    if (ended && thread.active === found.id) await activateNextTurn(trx, owner, threadId);
    return { turn: found, endedAt: ended, active: thread.active };
  });
  if (gate) return abandonGate(db, engine, owner, gate);
  if (!turn) return;
  if (!endedAt) return stopCancelled(db, engine, owner, turn);
  if (turn.steers && active && active !== turn.id) engine.onSteered(active);
  engine.notifyEnded(turn, { ...outcome, gate: null, usage: NO_USAGE, endedAt: endedAt.toISOString() });
  engine.notifyThread(turn); // those who follow the thread don't follow a turn that waits
}

/** The gate where the turn waits for a person. A turn that has asked its caller to run a tool is over. */
async function findOwnGate(trx: OwnedTransaction, owner: Principal, turn: Turn): Promise<OpenGate | undefined> {
  const gate = await findOpenGate(trx, owner, turn.threadId);
  return gate?.turnId === turn.id && gate.kind !== 'external-tool' ? gate : undefined;
}

/** A turn that waits for its children continues, to close its calls; they are cancelled after it. */
async function stopCancelled(db: Database, engine: Engine, owner: Principal, turn: Turn): Promise<void> {
  const isParked = turn.tree ? await wakeTurn(engine.system, turn.id) : false;
  if (isParked) engine.wake();
  else await engine.stopCancelled(turn);
  if (turn.tree) await cancelChildren(db, engine, owner, turn.run ?? turn.id);
}

/**
 * Cancels the children of a run, and theirs. Each level is read after the one above is committed: a turn that is marked as cancelled
 * starts no child, so none is missed.
 */
export async function cancelChildren(db: Database, engine: Engine, owner: Principal, run: TurnId): Promise<void> {
  const children = await withOwner(db, owner, (trx) => listUnfinished(trx, owner, run));
  await Promise.all(children.map(({ childRun }) => cancelChild(db, engine, owner, childRun)));
}

/** Cancels the child of a call, and all below it. One that has ended stays as it is. */
export async function stopChild(db: Database, engine: Engine, owner: Principal, call: ItemId): Promise<void> {
  const child = await withOwner(db, owner, (trx) => findChild(trx, owner, call));
  if (!child) throw new NotFound('This subagent does not exist.');
  if (child.state !== 'ended') await cancelChild(db, engine, owner, child.childRun);
}

/**
 * Cancels one child: its turn that runs or is queued, or the gate that it waits at, with those below it. If the run continues with another
 * turn meanwhile, after an answer or a message, that is cancelled, too.
 */
async function cancelChild(db: Database, engine: Engine, owner: Principal, childRun: TurnId): Promise<void> {
  const find = () => withOwner(db, owner, (trx) => findNewestTurn(trx, owner, childRun));
  let last: TurnId | undefined;
  for (let at = await find(); at && at.id !== last; at = await find()) {
    last = at.id;
    await cancelTurn(db, engine, owner, { threadId: at.threadId, turnId: at.id }, 'cancelled').catch(
      (error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // it was deleted meanwhile
      },
    );
  }
}

/** How a turn ends that was cancelled for this reason. */
export function outcomeOfCancel(reason: CancelReason): UnrunOutcome {
  if (reason === 'cancelled') return { status: 'cancelled', failure: null };
  return { status: 'failed', failure: { code: reason, message: reason === 'turn_timeout' ? TIMED_OUT : UNANSWERED } };
}

const TIMED_OUT = 'The turn took too long to wait for. Use stream or background for long work.';
const UNANSWERED = 'The gate of this turn was not answered in time, so the call was denied.';
