import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { isChatChannel } from '#domain/chat/chat-channel.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type GateId, type MissionId, newId, type TurnId } from '#domain/ids.ts';
import { isOperator, type Principal, type UserId } from '#domain/principal.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { type Channel, refusalAt, type Turn, type TurnRequest } from '#domain/thread/turn.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { Answerer, DecidedAtGate } from '#domain/tool/call-decision.ts';
import { digestCall, digestShape } from '#domain/tool/call-digest.ts';
import { type AskedCall, callsOf, type GatedCall, type GateFacts, type OpenGate } from '#domain/tool/gate.ts';
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
import { insertSiteGrant } from '#store/tools/site-grants.ts';
import { insertStandingApproval } from '#store/tools/standing-approvals.ts';
import { checkPartner } from './pairings.ts';
import { findPolicy } from './policy-settings.ts';

/** `overdue`: no answer came in time. The call is denied, and the turn fails with the code of the gate. */
export type GateAnswer =
  /** `userId`: the user that a webhook user is paired with. */
  | {
      readonly kind: 'approve';
      readonly userId?: UserId;
      readonly input?: Readonly<Record<string, unknown>> | undefined;
    }
  /** `mission`: only for runs of the mission whose call it is. `exactly`: only for calls with the same arguments, prose included. */
  | { readonly kind: 'always'; readonly only?: 'mission'; readonly exactly?: true }
  | { readonly kind: 'deny'; readonly reason: string }
  /** One answer for each call of the gate, by its id. A call without an answer is denied. */
  | { readonly kind: 'each'; readonly answers: ReadonlyMap<string, 'approve' | 'deny'>; readonly reason: string }
  | { readonly kind: 'overdue' };

type Answering = {
  readonly answer: GateAnswer;
  readonly by: Principal;
  readonly channel: Channel;
};

/** Counts the answers to cards, for the operator to see why people are asked, and whether they look at the cards. */
export type CountApproval = (gate: Pick<GateFacts, 'reason' | 'situation'>, answer: CountedAnswer) => void;

/** `some`: only some of the calls on the card were approved. */
export type CountedAnswer = 'approve' | 'always' | 'deny' | 'some' | 'overdue';

/**
 * Answers a gate, which starts the thread's next turn: it takes up the call that had to wait, or its denial. Nothing
 * else gives an approval or a pairing.
 */
export async function answerGate(
  db: Database,
  engine: Engine,
  owner: Owner,
  id: GateId,
  { count, ...answering }: Answering & { readonly count?: CountApproval | undefined },
): Promise<Turn> {
  const { answer, by } = answering;
  const { turn, gate } = await withOwner(db, owner, async (trx) => {
    const open = await getOpenGate(trx, owner, id);
    const entry = decisionOf(open, answer, by);
    return { gate: open, turn: await audited(trx, (deciding) => decide(deciding, owner, open, answering), entry) };
  });
  if (gate.kind === 'approval') count?.(gate.asked ?? { situation: 'clean' }, countedAs(gate, answer));
  engine.kick(turn);
  engine.notifyThread(turn);
  return turn;
}

function countedAs(gate: OpenGate, answer: GateAnswer): CountedAnswer {
  if (answer.kind !== 'each') return answer.kind;
  const denied = deniedCalls(gate, answer).length;
  if (denied === 0) return 'approve';
  return denied === callsOf(gate).length ? 'deny' : 'some';
}

/** Stores the decision and the next turn in one transaction. */
async function decide(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  gate: OpenGate,
  { answer, by, channel }: Answering,
): Promise<Turn> {
  const asking = await getTurnById(trx, owner, gate.turnId);
  await grant(trx, owner, gate, { answer, by, asking });
  const started = await insertTurnAfter(trx, owner, gate, asking, itemsOf(gate, answer, by), channel);
  if (!started) throw new NotFound('This gate does not exist.');
  if (answer.kind === 'overdue') await requestCancel(trx, owner, started, refusalAt(gate).code);
  await decideGate(trx, owner, gate.id, started.seq);
  await keepThread(trx, owner, gate.threadId); // a person answered, and looks for the outcome there
  return started;
}

/** The turn that continues a thread after the gate of `asked`; undefined when the thread is gone. */
export async function insertTurnAfter(
  trx: OwnedTransaction,
  owner: Owner,
  gate: OpenGate,
  asked: Turn,
  items: readonly NewItem[],
  channel?: Channel,
): Promise<Turn | undefined> {
  const id = newId<TurnId>();
  const position = await takePositionAfter(trx, owner, gate, id);
  if (!position) return undefined;
  const { thread, seq } = position;
  // The reply to a message of a chat goes there, wherever its gate was answered.
  const isChat = isChatChannel(asked.channel);
  const request = { ...withoutTimeout(asked.request), echo: isChat ? asked.request.echo : {} };
  const next = isChat ? asked.channel : (channel ?? asked.channel);
  const run = asked.run ?? asked.id;
  const turn = { id, threadId: thread.id, seq, channel: next, request, run };
  await moveJob(trx, owner, run, id);
  return insertTurn(trx, owner, turn, items, thread.active === id);
}

/** The turn after a gate has no deadline: its caller has left. */
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
      ...(gate.asked?.others && { tools: callsOf(gate).map(({ call }) => call.name) }),
      ...(answer.kind === 'each' && { approved: approvedCalls(gate, answer).map(({ call }) => call.name) }),
      ...(gate.kind === 'pairing' && 'userId' in answer && { pairedWith: answer.userId }),
    },
  };
}

/** Reads the gate again once the thread is locked: of two answers, the first one counts. */
async function getOpenGate(trx: OwnedTransaction, owner: Owner, id: GateId): Promise<OpenGate> {
  const seen = await findGate(trx, owner, id);
  if (seen) await lockThread(trx, owner, seen.threadId);
  const gate = seen && (await findGate(trx, owner, id));
  if (!gate) throw new NotFound('This gate does not exist, or it was answered already.');
  if (gate.kind === 'external-tool')
    throw new InvalidRequest('invalid_request', null, "This gate waits for the output of the caller's tool.");
  return gate;
}

/** Stores what the answer allows, for the call that the gate has shown. */
async function grant(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  gate: OpenGate,
  { answer, by, asking }: { readonly answer: GateAnswer; readonly by: Principal; readonly asking: Turn },
): Promise<void> {
  if (answer.kind === 'each' && gate.kind !== 'approval')
    throw new InvalidRequest('invalid_request', 'answers', 'Only approvals are answered call by call.');
  if (gate.kind === 'approval') {
    const answering = { answer, asking, answeredBy: answererOf(gate, by) };
    for (const asked of approvedCalls(gate, answer)) await approve(trx, owner, gate, asked, answering);
    return;
  }
  if (answer.kind !== 'approve' && answer.kind !== 'always') return;
  if (answer.kind === 'always') throw new InvalidRequest('invalid_request', 'answer', ONLY_APPROVALS);
  if (gate.kind === 'input') await answerQuestion(trx, owner, gate.call, answer);
  if (gate.kind === 'pairing') {
    if (!isOperator(by)) throw new NotFound('This gate does not exist.');
    await putPairing(trx, owner, checkPartner(answer.userId));
  }
}

const ONLY_APPROVALS = 'Only an approval can be given for always.';

function approvedCalls(gate: OpenGate, answer: GateAnswer): AskedCall[] {
  if (answer.kind === 'approve' || answer.kind === 'always') return callsOf(gate);
  if (answer.kind !== 'each') return [];
  const known = callsOf(gate).map(({ call }) => call.callId);
  const unknown = [...answer.answers.keys()].find((callId) => !known.includes(callId));
  if (unknown !== undefined)
    throw new InvalidRequest('invalid_request', 'answers', `This gate does not ask about the call "${unknown}".`);
  return callsOf(gate).filter(({ call }) => answer.answers.get(call.callId) === 'approve');
}

/** Approves one call. The links of a site that was shown are approved for the whole run. */
async function approve(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  gate: OpenGate,
  { call, revision, address }: AskedCall,
  { answer, asking, answeredBy }: { readonly answer: GateAnswer; readonly asking: Turn; readonly answeredBy: Answerer },
): Promise<void> {
  const refusal = whyNotApprovable(call);
  if (refusal !== undefined) throw new InvalidRequest('invalid_request', 'answer', refusal);
  if (answer.kind === 'always') {
    await checkAlways(trx, gate, call.name);
    const missionId = answer.only === 'mission' ? missionOf(gate) : null;
    const shape = shapeOf(call.arguments, answer.exactly ? 'stays' : 'may differ');
    const digest = digestShape(call, revision, shape, missionId ?? undefined);
    const situation = gate.asked?.situation ?? 'clean';
    await insertStandingApproval(trx, owner, { tool: call.name, revision, shape, digest, situation, missionId });
  }
  if (address?.kind === 'link')
    await insertSiteGrant(trx, owner, { threadId: gate.threadId, run: asking.run ?? asking.id, site: address.site });
  const state = call.id === gate.call.id ? gate.asked?.state : undefined;
  const digest = digestCall(call, revision, state);
  await insertApproval(trx, owner, { gateId: gate.id, callId: call.id, digest, answeredBy });
}

const answererOf = (gate: OpenGate, by: Principal): Answerer => (by.userId === gate.userId ? 'owner' : 'operator');

function missionOf({ asked }: OpenGate): MissionId {
  if (!asked?.mission)
    throw new InvalidRequest('invalid_request', 'only', 'This call does not belong to a run of a mission.');
  return asked.mission;
}

/** Stores the values for the server that asked. */
async function answerQuestion(
  trx: OwnedTransaction,
  owner: Owner,
  call: GatedCall,
  { input = {} }: Extract<GateAnswer, { kind: 'approve' }>,
): Promise<void> {
  const asked = await findCallQuestion(trx, owner, call.id);
  if (!asked) throw new NotFound('This gate does not exist.');
  await answerCallQuestion(trx, owner, call.id, checkInput(asked.question, input));
}

async function checkAlways(trx: OwnedTransaction, { asked }: OpenGate, tool: string): Promise<void> {
  if (asked?.irreversible)
    throw new InvalidRequest(
      'invalid_request',
      'answer',
      `What ${tool} does can't be undone, so each call is asked about. Answer approve or deny.`,
    );
  if ((await findPolicy(trx, tool))?.level === 'ask')
    throw new InvalidRequest(
      'invalid_request',
      'answer',
      `The operator wants to be asked about every call of ${tool}. Answer approve or deny.`,
    );
}

/** The outputs of the calls that were denied. They are the service's words, so they are not foreign. */
function itemsOf(gate: OpenGate, answer: GateAnswer, by: Principal): NewItem[] {
  const reason = answer.kind === 'overdue' ? 'no answer came in time.' : 'reason' in answer ? answer.reason : '';
  return deniedCalls(gate, answer).map(({ call }) => ({
    id: newId(),
    type: 'function_call_output',
    callId: call.callId,
    output: [text(`Not run: denied. ${reason}`.trim() + DENIED_AGAIN)],
    reads: {},
    decided: refusalBy(gate, answer, by),
  }));
}

function refusalBy(gate: OpenGate, answer: GateAnswer, by: Principal): DecidedAtGate {
  const at = new Date().toISOString();
  if (answer.kind === 'overdue') return { answer: 'expired', at };
  const reason = 'reason' in answer ? answer.reason.trim() : '';
  return { answer: 'denied', by: answererOf(gate, by), at, ...(reason !== '' && { reason }) };
}

const DENIED_AGAIN =
  ' The same call will be denied again: continue without it, or ask the user what they want instead.';

function deniedCalls(gate: OpenGate, answer: GateAnswer): AskedCall[] {
  if (answer.kind === 'approve' || answer.kind === 'always') return [];
  const approved = approvedCalls(gate, answer);
  return callsOf(gate).filter(({ call }) => !approved.some((each) => each.call.callId === call.callId));
}
