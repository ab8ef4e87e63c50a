import { Conflict, InvalidRequest } from '#domain/errors.ts';
import type { Gate } from '#domain/gate.ts';
import { newId, type ThreadId } from '#domain/ids.ts';
import type { NewItem } from '#domain/item.ts';
import type { Principal } from '#domain/principal.ts';
import { MAX_WAITING_TURNS, type Thread } from '#domain/thread.ts';
import type { ToolDefinition } from '#domain/tool.ts';
import { type Channel, type Failure, refusalAt, type Turn, type TurnRequest } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { answerGate, findOpenGate } from '#store/gates.ts';
import { insertThread, replaceCatalog, takePlace } from '#store/threads.ts';
import { countWaiting, insertFailedTurn, insertTurn } from '#store/turns.ts';
import { checkAnswer } from './gates.ts';

export type TurnInput = {
  /** The thread to continue; undefined begins a new one. */
  readonly threadId: ThreadId | undefined;
  readonly channel: Channel;
  readonly items: readonly NewItem[];
  readonly request: Omit<TurnRequest, 'tools'>;
  /** The caller's tools; undefined when the request named none. */
  readonly tools: readonly ToolDefinition[] | undefined;
};

/**
 * Accepts an input: from the moment this resolves it can't be lost. Place, items and wake-up are one transaction, and
 * the thread's row lock makes concurrent inputs, and concurrent answers to one gate, take their turns.
 */
export async function startTurn(db: Database, engine: Engine, owner: Principal, input: TurnInput): Promise<Turn> {
  const turn = await withOwner(db, owner, async (trx) => {
    const accepted = input.threadId
      ? await continueThread(trx, owner, input.threadId, input)
      : await beginThread(trx, owner, input);
    if (accepted.runs) await engine.enqueue(trx, accepted.turn.id);
    return accepted.turn;
  });
  if (turn.status === 'queued') engine.kick();
  return turn;
}

/** `runs`: the thread is free, so the turn may run now. */
type Accepted = { readonly turn: Turn; readonly runs: boolean };

async function beginThread(trx: OwnedTransaction, owner: Principal, input: TurnInput): Promise<Accepted> {
  const request = { ...input.request, tools: input.tools ?? [] };
  const turn = { id: newId(), threadId: newId(), seq: 1, channel: input.channel, request };
  return { turn: await insertTurn(trx, owner, turn, input.items, 'new-thread'), runs: true };
}

async function continueThread(
  trx: OwnedTransaction,
  owner: Principal,
  threadId: ThreadId,
  input: TurnInput,
): Promise<Accepted> {
  const id = newId();
  const thread = await takePlace(trx, owner, threadId, id);
  if (!thread) return { turn: await insertUnknownThread(trx, owner, input), runs: false };

  const answered = checkInput(await findOpenGate(trx, owner, threadId), input);
  if (thread.active !== id) await checkRoom(trx, owner, thread);

  const tools = input.tools ?? (answered ? thread.catalog : []);
  const request = { ...input.request, tools };
  const place = { id, threadId, seq: thread.lastSeq, channel: input.channel, request };
  const turn = await insertTurn(trx, owner, place, input.items, 'known-thread');
  if (answered) await answerGate(trx, owner, answered.id, thread.lastSeq);
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

/** Unknown and foreign threads look alike: a failed turn, on a new thread of the caller, that tells nothing. */
async function insertUnknownThread(trx: OwnedTransaction, owner: Principal, input: TurnInput): Promise<Turn> {
  const place = { id: newId(), threadId: newId(), seq: 1 };
  await insertThread(trx, owner, place.threadId);
  const request = { ...input.request, tools: input.tools ?? [] };
  return insertFailedTurn(trx, owner, { ...place, channel: input.channel, request }, UNKNOWN_THREAD);
}

const UNKNOWN_THREAD: Failure = {
  code: 'previous_response_not_found',
  message: 'The previous response was not found. Check previous_response_id, or leave it out to begin a new thread.',
};
