import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { firstWords } from '#domain/first-words.ts';
import type { Gate } from '#domain/gate.ts';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { NewItem } from '#domain/item.ts';
import type { NewJob } from '#domain/job.ts';
import type { Principal } from '#domain/principal.ts';
import { MAX_WAITING_TURNS, type Thread } from '#domain/thread.ts';
import type { ToolDefinition } from '#domain/tool.ts';
import { type Channel, type Failure, refusalAt, type Turn, type TurnRequest } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { nameThread } from '#store/conversations.ts';
import { closeGate, findOpenGate } from '#store/gates.ts';
import { takeKey } from '#store/idempotency-keys.ts';
import { insertJob, passJobOn } from '#store/jobs.ts';
import { insertThread, replaceCatalog, takePlace } from '#store/threads.ts';
import { countWaiting, findTurn, findTurnById, insertFailedTurn, insertTurn } from '#store/turns.ts';
import { checkAnswer } from './gates.ts';

export type TurnInput = {
  /** The thread to continue; undefined begins a new one. */
  readonly threadId: ThreadId | undefined;
  /** The turn that the caller continues. If it is not one of the thread's, the caller never got this pair of ids from us. */
  readonly previousTurnId?: TurnId | undefined;
  /** What becomes of an input for a thread that does not exist, or is somebody else's: the two look alike. */
  readonly unknownThread: 'failed-turn' | 'not-found';
  readonly channel: Channel;
  readonly items: readonly NewItem[];
  readonly request: Omit<TurnRequest, 'tools'>;
  /** The caller's tools; undefined when the request named none. */
  readonly tools: readonly ToolDefinition[] | undefined;
  /** Makes the same request, sent again, be the same turn. */
  readonly idempotency: Idempotency | undefined;
  /** Makes the turn a job as well. A job may name its thread itself: the name begins it, and continues it later. */
  readonly job?: NewJob;
};

/** `isLasting`: the key is never forgotten, as opposed to after a day. */
export type Idempotency = { readonly key: string; readonly digest: string; readonly isLasting?: boolean };

/** `fresh`: it was accepted just now, as opposed to being the turn of an earlier request with the same key. */
export type StartedTurn = { readonly turn: Turn; readonly fresh: boolean };

/**
 * Accepts an input: from the moment this resolves it can't be lost. Place, items and wake-up are one transaction, and
 * the thread's row lock makes concurrent inputs, and concurrent answers to one gate, take their turns.
 */
export async function startTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  input: TurnInput,
): Promise<StartedTurn> {
  const started = await withOwner(db, owner, async (trx): Promise<StartedTurn> => {
    const id = newId();
    const earlier = input.idempotency && (await findEarlier(trx, owner, id, input.idempotency));
    if (earlier) return { turn: earlier, fresh: false };

    const accepted = await takeInput(trx, owner, id, input);
    if (input.job) await insertJob(trx, owner, accepted.turn, input.job);
    if (accepted.runs) await engine.enqueue(trx, id);
    return { turn: accepted.turn, fresh: true };
  });
  if (started.fresh && started.turn.status === 'queued') engine.kick();
  if (started.fresh) engine.tellThread(started.turn);
  return started;
}

/** The turn that an earlier request with the same key began. */
async function findEarlier(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  { key, digest, isLasting = false }: Idempotency,
): Promise<Turn | undefined> {
  const kept = await takeKey(trx, owner, key, { digest, turnId: id, isLasting });
  if (kept.turnId === id) return undefined;
  if (kept.digest !== digest)
    throw new Conflict('idempotency_mismatch', 'This Idempotency-Key came with another body before. Use a new key.');
  const turn = await findTurnById(trx, owner, kept.turnId);
  if (!turn) throw new Conflict('idempotency_mismatch', 'What came of this request was deleted. Use a new key.');
  return turn;
}

/** `runs`: the thread is free, so the turn may run now. */
type Accepted = { readonly turn: Turn; readonly runs: boolean };

async function takeInput(trx: OwnedTransaction, owner: Principal, id: TurnId, input: TurnInput): Promise<Accepted> {
  const { threadId: known, previousTurnId: previous } = input;
  if (known && previous && !(await findTurn(trx, owner, known, previous)))
    return { turn: await insertUnknownThread(trx, owner, id, input), runs: false };
  if (known) return continueThread(trx, owner, id, known, input);
  const fresh = newId();
  const name = input.job?.conversationId;
  const threadId = name ? await nameThread(trx, owner, name, fresh) : fresh;
  return threadId === fresh
    ? beginThread(trx, owner, id, fresh, input)
    : continueThread(trx, owner, id, threadId, input);
}

async function beginThread(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  threadId: ThreadId,
  input: TurnInput,
): Promise<Accepted> {
  const request = { ...input.request, tools: input.tools ?? [] };
  const turn = { id, threadId, seq: 1, channel: input.channel, request };
  return { turn: await insertTurn(trx, owner, turn, input.items, 'new-thread'), runs: true };
}

async function continueThread(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  threadId: ThreadId,
  input: TurnInput,
): Promise<Accepted> {
  const thread = await takePlace(trx, owner, threadId, id, firstWords(input.items).preview);
  if (!thread && input.unknownThread === 'not-found') throw new NotFound('There is no such thread.');
  if (!thread) return { turn: await insertUnknownThread(trx, owner, id, input), runs: false };

  const answered = checkInput(await findOpenGate(trx, owner, threadId), input);
  if (thread.active !== id) await checkRoom(trx, owner, thread);

  const tools = input.tools ?? (answered ? thread.catalog : []);
  const request = { ...input.request, tools };
  const place = { id, threadId, seq: thread.lastSeq, channel: input.channel, request };
  const turn = await insertTurn(trx, owner, place, input.items, 'known-thread');
  if (answered) {
    await closeGate(trx, owner, answered.id, turn.seq);
    await passJobOn(trx, owner, answered.id, turn.id);
  }
  if (JSON.stringify(tools) !== JSON.stringify(thread.catalog)) await replaceCatalog(trx, owner, threadId, tools);
  return { turn, runs: thread.active === id };
}

/** The gate this input answers, if it is an answer; refuses what the thread can't take now. */
function checkInput(gate: Gate | undefined, input: TurnInput): Gate | undefined {
  const outputs = input.items.flatMap((item) => (item.type === 'function_call_output' ? item.callId : []));
  const isAnswer = input.threadId !== undefined && outputs.length === input.items.length;
  if (isAnswer) return checkAnswer(gate, outputs);
  if (gate?.kind === 'external-tool') throw new InvalidRequest('tool_output_missing', 'input', refusalAt(gate).message);
  return undefined;
}

async function checkRoom(trx: OwnedTransaction, owner: Principal, thread: Thread): Promise<void> {
  if (!thread.active) return;
  const waiting = await countWaiting(trx, owner, thread.id, thread.active);
  if (waiting >= MAX_WAITING_TURNS)
    throw new Conflict(
      'thread_busy',
      `${waiting} messages already wait on this thread. Send the next one when they are done.`,
    );
}

/** A failed turn, on a new thread of the caller, that tells nothing. */
async function insertUnknownThread(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  input: TurnInput,
): Promise<Turn> {
  const place = { id, threadId: newId(), seq: 1 };
  await insertThread(trx, owner, place.threadId);
  const request = { ...input.request, tools: input.tools ?? [] };
  return insertFailedTurn(trx, owner, { ...place, channel: input.channel, request }, UNKNOWN_THREAD);
}

const UNKNOWN_THREAD: Failure = {
  code: 'previous_response_not_found',
  message: 'The previous response was not found. Check previous_response_id, or leave it out to begin a new thread.',
};
