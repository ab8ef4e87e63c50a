import { type Placement, placeInQueue } from '#domain/thread/thread.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '#store/connection.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { listQueued } from '#store/threads/turns.ts';

/** Where a turn is now; null when it has ended. */
export async function findPlacement(trx: OwnedTransaction, owner: Owner, turn: Turn): Promise<Placement | null> {
  if (isEnded(turn)) return null;
  const waiting = await placeQueued(trx, owner, turn);
  return waiting.find(({ turn: { id } }) => id === turn.id)?.placed ?? { type: 'started' };
}

/** The turns that wait behind the running one or the open gate of a thread, in order. */
export async function placeQueued(
  trx: OwnedTransaction,
  owner: Owner,
  { threadId }: Pick<Turn, 'threadId'>,
): Promise<{ readonly turn: Turn; readonly placed: Placement }[]> {
  const queued = await listQueued(trx, owner, threadId);
  const gate = queued.length > 0 ? (await findOpenGate(trx, owner, threadId))?.kind : undefined;
  return queued.map((turn, index) => ({
    turn,
    placed: placeInQueue(turn, { gate, ahead: gate ? index : index + 1 }),
  }));
}
