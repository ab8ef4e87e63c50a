import { Conflict, NotFound } from '#domain/errors.ts';
import type { ThreadId, TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { CANCELLED_JOB } from '#domain/thread/job.ts';
import type { Thread } from '#domain/thread/thread.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { deleteTurn } from '#store/threads/delete-turn.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { completeJob } from '#store/threads/jobs.ts';
import { lockThread } from '#store/threads/threads.ts';
import { activateNextTurn, endQueuedTurn, findTurn, listQueued, listUnstored } from '#store/threads/turns.ts';
import { markDelivered } from '#store/threads/unstored-turns.ts';

/** Deletes a turn that has ended. Its spending stays counted. */
export async function deleteEndedTurn(
  db: Database,
  engine: Engine,
  owner: Pick<Principal, 'userId'>,
  { threadId, turnId }: TurnIds,
): Promise<void> {
  await engine.flushEvents(); // events that are written later would stay until they expire
  const next = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const turn = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !turn) throw new NotFound('This response does not exist.');
    if (!isEnded(turn)) throw new Conflict('thread_busy', 'The response has not ended yet. Try again in a moment.');
    await deleteUnlessUsed(trx, owner, thread, turn);
    return thread.active ? undefined : startNext(trx, owner, threadId);
  });
  if (next) engine.kick(next);
  engine.notifyThread({ threadId, userId: owner.userId });
}

async function deleteUnlessUsed(trx: OwnedTransaction, owner: Owner, thread: Thread, turn: Turn): Promise<void> {
  const active = thread.active ? await findTurn(trx, owner, thread.id, thread.active) : undefined;
  const inUse = await deleteTurn(trx, owner, turn, active?.seq);
  if (inUse.length > 0)
    throw new Conflict('thread_busy', 'A running response continues this one. Delete it when that one has ended.');
}

/**
 * Deletes an ended turn that is not to be stored, because its reply was delivered, and the turns before it that were kept. A
 * turn stays that waits for a person, and with `keepsCall` one that waits for the output of a caller's tool: a client that
 * sends its history with that output continues it. A steered turn stays, too: the turn that continues with its run reads it.
 */
export async function discardTurn(
  db: Database,
  engine: Engine,
  owner: Owner,
  { threadId, turnId }: TurnIds,
  keepsCall: boolean,
): Promise<void> {
  await engine.flushEvents();
  const next = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const turn = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !turn) return undefined;
    const gate = await findOpenGate(trx, owner, threadId);
    const isWaiting = gate?.turnId === turn.id;
    if (isWaiting && gate.kind !== 'external-tool') return undefined;
    await markDelivered(trx, owner, turnId);
    if ((isWaiting && keepsCall) || turn.steeredBy) return undefined;
    const isLast = !thread.active && (!gate || isWaiting);
    const delivered = isLast ? await listUnstored(trx, owner, threadId, true) : [turn];
    for (const each of delivered) await deleteUnlessUsed(trx, owner, thread, each);
    return thread.active ? undefined : startNext(trx, owner, threadId);
  });
  if (next) engine.kick(next);
  engine.notifyThread({ threadId, userId: owner.userId });
}

/** Starts the first message that waited behind a gate, if the gate is gone. */
async function startNext(
  trx: OwnedTransaction,
  owner: Pick<Principal, 'userId'>,
  threadId: ThreadId,
): Promise<Turn | undefined> {
  if (await findOpenGate(trx, owner, threadId)) return undefined;
  const [next] = await listQueued(trx, owner, threadId);
  if (next) await activateNextTurn(trx, owner, threadId);
  return next;
}

/** Deletes a turn that waits behind another one, as if its message had never been sent. */
export async function withdrawTurn(
  db: Database,
  engine: Engine,
  owner: Pick<Principal, 'userId'>,
  { threadId, turnId }: TurnIds,
): Promise<void> {
  const { turn, endedAt, active } = await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    const found = await findTurn(trx, owner, threadId, turnId);
    if (!thread || !found) throw new NotFound('This message is not in the queue.');
    const ended = thread.active === turnId ? undefined : await endQueuedTurn(trx, owner, found);
    if (!ended) throw new Conflict('thread_busy', 'The message is no longer in the queue. Cancel its turn instead.');
    await completeJob(trx, owner, found, CANCELLED_JOB);
    const running = thread.active ? await findTurn(trx, owner, threadId, thread.active) : undefined;
    const inUse = await deleteTurn(trx, owner, found, running?.seq);
    if (inUse.length > 0)
      throw new Conflict('thread_busy', 'A running turn uses this message. Try again when that turn has ended.');
    return { turn: found, endedAt: ended, active: thread.active };
  });
  if (turn.steers && active) engine.onSteered(active);
  engine.notifyEnded(turn, {
    status: 'cancelled',
    failure: null,
    gate: null,
    usage: NO_USAGE,
    endedAt: endedAt.toISOString(),
  });
  engine.notifyThread({ threadId, userId: owner.userId });
}

/** Deletes the turns of a thread that are not to be stored. A thread that waits or has a running turn stays as it is. */
export async function deleteUnstoredTurns(
  db: Database,
  engine: Engine,
  owner: Pick<Principal, 'userId'>,
  threadId: ThreadId,
): Promise<void> {
  await engine.flushEvents();
  await withOwner(db, owner, async (trx) => {
    const thread = await lockThread(trx, owner, threadId);
    if (!thread || thread.active || (await findOpenGate(trx, owner, threadId))) return;
    for (const turn of await listUnstored(trx, owner, threadId)) await deleteTurn(trx, owner, turn, undefined);
  });
  engine.notifyThread({ threadId, userId: owner.userId });
}
