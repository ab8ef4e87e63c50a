import type { Gate } from '#domain/gate.ts';
import { newId } from '#domain/ids.ts';
import { text } from '#domain/item.ts';
import type { UserId } from '#domain/principal.ts';
import { refusalAt } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { repeat } from '#engine/repeat.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { answerGate, findOpenGate } from '#store/gates.ts';
import { passJobOn } from '#store/jobs.ts';
import { lockThread, takePlace } from '#store/threads.ts';
import { insertTurn, requestCancel } from '#store/turns.ts';

const LOOK_EVERY_MS = 60_000;

/** A webhook caller can't answer a gate. One that nobody answers within a day is denied, so that its job ends. */
export function startDenyingOverdueGates(db: Database, engine: Engine, onError: (error: unknown) => void) {
  const look = async () => {
    for (const { userId, ...gate } of await engine.findOverdueGates()) await denyGate(db, engine, { userId }, gate);
  };
  return repeat(LOOK_EVERY_MS, look, onError);
}

/** Answers the gate with a no, by a turn that fails with the code of what was missing, and gives every waiting call its output. */
export async function denyGate(db: Database, engine: Engine, owner: { userId: UserId }, gate: Gate): Promise<void> {
  await withOwner(db, owner, async (trx) => {
    await lockThread(trx, owner, gate.threadId);
    if ((await findOpenGate(trx, owner, gate.threadId))?.id !== gate.id) return; // somebody was faster
    const id = newId();
    const thread = await takePlace(trx, owner, gate.threadId, id);
    if (!thread) return;

    const place = { id, threadId: thread.id, seq: thread.lastSeq, channel: 'webhook', request: DENIAL } as const;
    const output = { type: 'function_call_output', callId: gate.call.callId, output: [text(DENIED)] } as const;
    const turn = await insertTurn(trx, owner, place, [{ id: newId(), ...output }], 'known-thread');
    await requestCancel(trx, owner, turn, refusalAt(gate).code);
    await answerGate(trx, owner, gate.id, turn.seq);
    await passJobOn(trx, owner, gate.id, turn.id);
    if (thread.active === id) await engine.enqueue(trx, id);
  });
  engine.kick();
}

const DENIED = 'Not run: nobody answered in time, so it was denied.';
const DENIAL = { model: null, temperature: null, tools: [], echo: {} };
