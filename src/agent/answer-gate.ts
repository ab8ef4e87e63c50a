import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Gate } from '#domain/gate.ts';
import { type GateId, newId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/item.ts';
import { type Channel, refusalAt, type Turn } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { closeGate, findGate } from '#store/gates.ts';
import { passJobOn } from '#store/jobs.ts';
import { lockThread, takePlace } from '#store/threads.ts';
import { getTurnById, insertTurn, requestCancel } from '#store/turns.ts';

/** `overdue`: nobody answered, so it is denied, and the turn fails with the code of what was missing. */
export type GateAnswer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'overdue' };

/** Answers a gate, which starts the thread's next turn: it takes up the call that had to wait, or its denial. */
export async function answerGate(
  db: Database,
  engine: Engine,
  owner: Owner,
  id: GateId,
  { answer, channel }: { answer: GateAnswer; channel: Channel },
): Promise<Turn> {
  const turn = await withOwner(db, owner, async (trx) => {
    const gate = await getOpenGate(trx, owner, id);
    const turnId = newId();
    const thread = await takePlace(trx, owner, gate.threadId, turnId);
    if (!thread) throw new NotFound('There is no such gate.');

    const { request: asked } = await getTurnById(trx, owner, gate.turnId);
    const request = { ...asked, tools: thread.catalog, echo: {} };
    const place = { id: turnId, threadId: thread.id, seq: thread.lastSeq, channel, request };
    const started = await insertTurn(trx, owner, place, itemsOf(gate, answer), 'known-thread');
    if (answer.kind === 'overdue') await requestCancel(trx, owner, started, refusalAt(gate).code);
    await closeGate(trx, owner, gate.id, started.seq);
    await passJobOn(trx, owner, gate.id, started.id);
    if (thread.active === turnId) await engine.enqueue(trx, turnId);
    return started;
  });
  engine.kick();
  engine.tellThread(turn);
  return turn;
}

/** Looked for again once the thread is locked: of two answers the first one counts. */
async function getOpenGate(trx: OwnedTransaction, owner: Owner, id: GateId): Promise<Gate> {
  const seen = await findGate(trx, owner, id);
  if (seen) await lockThread(trx, owner, seen.threadId);
  const gate = seen && (await findGate(trx, owner, id));
  if (!gate) throw new NotFound('There is no such gate, or it was answered already.');
  if (gate.kind === 'external-tool')
    throw new InvalidRequest('invalid_request', null, "This gate waits for the output of the caller's tool.");
  return gate;
}

function itemsOf({ call }: Gate, answer: GateAnswer): NewItem[] {
  if (answer.kind === 'approve') return [];
  const reason = answer.kind === 'deny' ? answer.reason : 'nobody answered in time.';
  return [
    { id: newId(), type: 'function_call_output', callId: call.callId, output: [text(`Not run: denied. ${reason}`)] },
  ];
}
