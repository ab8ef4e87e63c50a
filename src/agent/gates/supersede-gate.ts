import { newId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { closeGate, findGate } from '#store/threads/gates.ts';
import { lockThread } from '#store/threads/threads.ts';
import { getTurnById, requestCancel } from '#store/threads/turns.ts';
import { markLike } from '#store/threads/unstored-turns.ts';
import { insertTurnAfter } from './answer-gate.ts';

/**
 * Closes a gate whose caller continues in another thread, with another history. A turn that is cancelled at once gives every
 * pending call an output, so that the thread can be continued later.
 */
export const supersedeGate = (db: Database, engine: Engine, owner: Principal, gate: OpenGate): Promise<void> =>
  closeWithTurn(db, engine, owner, gate, [
    { id: newId(), type: 'function_call_output', callId: gate.call.callId, output: [text(SUPERSEDED)], reads: {} },
  ]);

/** Closes a gate whose run is being cancelled, of any kind, without an answer: nothing is allowed by it. */
export const abandonGate = (db: Database, engine: Engine, owner: Principal, gate: OpenGate): Promise<void> =>
  closeWithTurn(db, engine, owner, gate, []);

async function closeWithTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  gate: OpenGate,
  outputs: readonly NewItem[],
): Promise<void> {
  const turn = await withOwner(db, owner, async (trx) => {
    await lockThread(trx, owner, gate.threadId);
    if (!(await findGate(trx, owner, gate.id))) return undefined; // it was answered meanwhile
    const started = await insertTurnAfter(trx, owner, gate, await getTurnById(trx, owner, gate.turnId), outputs);
    if (!started) return undefined;
    await markLike(trx, owner, started.id, gate.turnId);
    await requestCancel(trx, owner, started, 'cancelled');
    await closeGate(trx, owner, gate.id, started.seq);
    return started;
  });
  if (!turn) return;
  engine.kick(turn);
  engine.notifyThread(turn);
}

const SUPERSEDED = 'Not run: the caller continued in another thread.';
