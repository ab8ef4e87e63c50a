import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { isChatChannel } from '#domain/chat/chat-channel.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type GateId, newId, type TurnId } from '#domain/ids.ts';
import { isOperator, type Principal, type UserId } from '#domain/principal.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { type Channel, refusalAt, type Turn, type TurnRequest } from '#domain/thread/turn.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import { digestCall, digestShape } from '#domain/tool/call-digest.ts';
import type { Gate, GatedCall, OpenGate } from '#domain/tool/gate.ts';
import { checkInput } from '#domain/tool/question.ts';
import type { Engine } from '#engine/engine.ts';
import { putPairing } from '#store/accounts/pairings.ts';
import { type AuditEntry, type Audited, audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { decideGate, findGate } from '#store/threads/gates.ts';
import { moveJob } from '#store/threads/jobs.ts';
import { lockThread, takePositionAfter } from '#store/threads/threads.ts';
import { getTurnById, insertTurn, requestCancel } from '#store/threads/turns.ts';
import { keepThread } from '#store/threads/unstored-turns.ts';
import { insertApproval } from '#store/tools/approvals.ts';
import { answerCallQuestion, findCallQuestion } from '#store/tools/call-questions.ts';
import { insertStandingApproval } from '#store/tools/standing-approvals.ts';
import { continueRun } from '../missions/run-budget.ts';
import { checkPartner } from './pairings.ts';
import { findPolicy } from './policy-settings.ts';

/** `overdue`: there was no answer in time. The call is denied, and the turn fails with the code of the gate. */
export type GateAnswer =
  /** `userId`: the user that a webhook user is paired with. */
  | {
      readonly kind: 'approve';
      readonly userId?: UserId;
      readonly input?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly kind: 'always' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'overdue' };

type Answering = {
  readonly answer: GateAnswer;
  readonly by: Principal;
  readonly channel: Channel;
};

/**
 * Answers a gate, which starts the thread's next turn: it takes up the call that had to wait, or its denial. Nothing
 * else gives an approval or a pairing.
 */
export async function answerGate(
  db: Database,
  engine: Engine,
  owner: Owner,
  id: GateId,
  { answer, by, channel }: Answering,
): Promise<Turn> {
  const turn = await withOwner(db, owner, async (trx) => {
    const gate = await getOpenGate(trx, owner, id);
    return audited(
      trx,
      (deciding) => decide(deciding, owner, gate, { answer, by, channel }),
      decisionOf(gate, answer, by),
    );
  });
  engine.kick(turn);
  engine.notifyThread(turn);
  return turn;
}

/** Stores the decision and the next turn in one transaction. */
async function decide(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  gate: OpenGate,
  { answer, by, channel }: Answering,
): Promise<Turn> {
  if (answer.kind === 'approve' || answer.kind === 'always') await grant(trx, owner, gate, answer, by);
  const started = await insertTurnAfter(trx, owner, gate, itemsOf(gate, answer), channel);
  if (!started) throw new NotFound('There is no such gate.');
  if (answer.kind === 'overdue') await requestCancel(trx, owner, started, refusalAt(gate).code);
  await decideGate(trx, owner, gate.id, started.seq);
  await keepThread(trx, owner, gate.threadId); // a person answered, and looks for the outcome there
  await moveJob(trx, owner, gate.id, started.id);
  return started;
}

/** The turn that continues a thread after its gate; undefined when the thread is gone. */
export async function insertTurnAfter(
  trx: OwnedTransaction,
  owner: Owner,
  gate: OpenGate,
  items: readonly NewItem[],
  channel?: Channel,
): Promise<Turn | undefined> {
  const id = newId<TurnId>();
  const position = await takePositionAfter(trx, owner, gate, id);
  if (!position) return undefined;
  const { thread, seq } = position;
  const asked = await getTurnById(trx, owner, gate.turnId);
  const { mission } = asked.request;
  const continued = { ...withoutTimeout(asked.request), ...(mission && { mission: continueRun(mission, asked) }) };
  // The reply to a message of a chat goes there, wherever its gate was answered.
  const isChat = isChatChannel(asked.channel);
  const request = { ...continued, echo: isChat ? asked.request.echo : {} };
  const next = isChat ? asked.channel : (channel ?? asked.channel);
  const turn = { id, threadId: thread.id, seq, channel: next, request };
  return insertTurn(trx, owner, turn, items, thread.active === id);
}

/** Nobody waits for the end of the turn after a gate. */
const withoutTimeout = ({ timeoutMs: _, ...request }: TurnRequest): TurnRequest => request;

function decisionOf(gate: OpenGate, answer: GateAnswer, by: Principal): AuditEntry {
  return {
    actor: by.userId,
    action: `gate.${answer.kind}`,
    subject: gate.id,
    detail: {
      kind: gate.kind,
      user: gate.userId,
      tool: gate.call.name,
      ...(gate.kind === 'pairing' && 'userId' in answer && { pairedWith: answer.userId }),
    },
  };
}

/** Reads the gate again once the thread is locked: of two answers, the first one counts. */
async function getOpenGate(trx: OwnedTransaction, owner: Owner, id: GateId): Promise<OpenGate> {
  const seen = await findGate(trx, owner, id);
  if (seen) await lockThread(trx, owner, seen.threadId);
  const gate = seen && (await findGate(trx, owner, id));
  if (!gate) throw new NotFound('There is no such gate, or it was answered already.');
  if (gate.kind === 'external-tool')
    throw new InvalidRequest('invalid_request', null, "This gate waits for the output of the caller's tool.");
  return gate;
}

/** Stores what the answer allows, for the call that the gate has shown. */
async function grant(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  { id, kind, call, revision }: OpenGate,
  answer: Extract<GateAnswer, { kind: 'approve' | 'always' }>,
  by: Principal,
): Promise<void> {
  const refusal = kind === 'approval' ? whyNotApprovable(call) : undefined;
  if (refusal !== undefined) throw new InvalidRequest('invalid_request', 'answer', refusal);
  if (answer.kind === 'always') {
    await checkAlways(trx, kind, call.name);
    const shape = shapeOf(call.arguments);
    const digest = digestShape(call, revision, shape);
    await insertStandingApproval(trx, owner, { tool: call.name, revision, shape, digest });
  }
  if (kind === 'approval')
    await insertApproval(trx, owner, { gateId: id, callId: call.id, digest: digestCall(call, revision) });
  if (kind === 'input') await answerQuestion(trx, owner, call, answer);
  if (kind === 'pairing') {
    if (!isOperator(by)) throw new NotFound('There is no such gate.');
    await putPairing(trx, owner, checkPartner(answer.kind === 'approve' ? answer.userId : undefined));
  }
}

/** Stores the values for the server that asked. */
async function answerQuestion(
  trx: OwnedTransaction,
  owner: Owner,
  call: GatedCall,
  answer: Extract<GateAnswer, { kind: 'approve' | 'always' }>,
): Promise<void> {
  const asked = await findCallQuestion(trx, owner, call.id);
  if (!asked) throw new NotFound('There is no such gate.');
  const given = answer.kind === 'approve' ? (answer.input ?? {}) : {};
  await answerCallQuestion(trx, owner, call.id, checkInput(asked.question, given));
}

async function checkAlways(trx: OwnedTransaction, kind: Gate['kind'], tool: string): Promise<void> {
  if (kind !== 'approval')
    throw new InvalidRequest('invalid_request', 'answer', 'Only an approval can be given for always.');
  if ((await findPolicy(trx, tool)) === 'ask')
    throw new InvalidRequest(
      'invalid_request',
      'answer',
      `The operator wants to be asked about every call of ${tool}. Answer approve or deny.`,
    );
}

function itemsOf({ call }: Gate, answer: GateAnswer): NewItem[] {
  if (answer.kind === 'approve' || answer.kind === 'always') return [];
  const reason = answer.kind === 'deny' ? answer.reason : 'nobody answered in time.';
  return [
    { id: newId(), type: 'function_call_output', callId: call.callId, output: [text(`Not run: denied. ${reason}`)] },
  ];
}
