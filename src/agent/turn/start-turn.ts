import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { firstWords } from '#domain/thread/first-words.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { NewJob } from '#domain/thread/job.ts';
import { blocksMessage, blocksOf } from '#domain/thread/replayed-history.ts';
import { MAX_WAITING_TURNS, type ThreadUrl } from '#domain/thread/thread.ts';
import {
  type Channel,
  type Failure,
  isRefusedAtGates,
  type RequestTry,
  refusalAt,
  type Turn,
  type TurnRequest,
} from '#domain/thread/turn.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { TraceContext } from '#domain/trace/trace-context.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { closeGate, findOpenGate } from '#store/threads/gates.ts';
import { takeKey } from '#store/threads/idempotency-keys.ts';
import { listNewestRequests } from '#store/threads/items.ts';
import { insertJob, moveJob } from '#store/threads/jobs.ts';
import { insertTry } from '#store/threads/request-tries.ts';
import {
  findNamedThread,
  insertThread,
  lockThread,
  replaceCatalog,
  takeNextPosition,
  takePositionAfter,
} from '#store/threads/threads.ts';
import {
  countWaiting,
  findTriedTurn,
  findTurn,
  findTurnById,
  getTurnById,
  insertRefusedTurn,
  insertTurn,
} from '#store/threads/turns.ts';
import { isDelivered, markUnstored } from '#store/threads/unstored-turns.ts';
import { checkAnswer } from '../gates/gates.ts';
import { supersedeGate } from '../gates/supersede-gate.ts';
import { chooseModel } from './choose-model.ts';
import { findReplayedThread } from './find-replayed-thread.ts';

export type TurnInput = {
  /** The thread to continue; undefined starts a new one. */
  readonly threadId: ThreadId | undefined;
  /** The turn that the caller continues. It must belong to the thread. */
  readonly previousTurnId?: TurnId | undefined;
  /** How to answer when the thread is missing or foreign; callers can't tell the two apart. */
  readonly unknownThread: 'failed-turn' | 'not-found';
  readonly channel: Channel;
  readonly items: readonly NewItem[];
  readonly request: Omit<TurnRequest, 'tools' | 'trace' | 'timeoutMs'>;
  /** The turn is cancelled so long after it was accepted. Without it, nobody waits for its end. */
  readonly timeoutMs?: number;
  /** The caller's span that the turn belongs to. */
  readonly trace?: TraceContext;
  /** The caller's tools; undefined when the request has none. */
  readonly tools: readonly ToolDefinition[] | undefined;
  /** A repeated request with the same key returns the same turn. */
  readonly idempotency: Idempotency | undefined;
  /** A repeated request joins the turn of an earlier try. First tries always start a turn. */
  readonly tried?: RequestTry;
  /** The items are a whole history, and always start a new thread. */
  readonly startsThread?: boolean;
  /** The turn is deleted once its reply was delivered, or an hour after its end. */
  readonly isUnstored?: boolean;
  /** Where a person answers the gate of a thread. A caller who is refused there is told. */
  readonly threadUrl?: ThreadUrl;
  /** Makes the turn a job. A job can name its thread: the first job of that name starts it, later ones continue it. */
  readonly job?: NewJob;
};

/** `isLasting`: the key never expires; others expire after a day. */
export type Idempotency = { readonly key: string; readonly digest: string; readonly isLasting?: boolean };

/** `fresh`: accepted now. Otherwise it is the turn of an earlier request with the same key. */
export type StartedTurn = { readonly turn: Turn; readonly fresh: boolean };

/** Accepts an input. Once this resolves, the input can't be lost. */
export async function startTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  asked: TurnInput,
): Promise<StartedTurn> {
  const joined = asked.tried?.isRepeated && (await findJoined(db, owner, asked.tried));
  if (joined) return { turn: joined, fresh: false };
  const model = await chooseModel(db, owner, asked);
  const input = { ...asked, request: { ...asked.request, model } };
  const mayReplay = input.threadId === undefined && !input.startsThread;
  const replay = mayReplay ? await findReplayedThread(db, owner, input.items) : undefined;
  const continued = replay?.kind === 'continues' ? { ...input, threadId: replay.threadId, items: replay.items } : input;
  // First: if a crash follows, the repeated request finds no gate and still starts its thread.
  if (replay?.kind === 'differs') await supersedeGate(db, engine, owner, replay.gate);
  const started = isAnswer(continued)
    ? await startStepwise(db, engine, owner, continued)
    : await accept(db, engine, owner, continued);
  if (started.fresh) engine.notifyThread(started.turn);
  return started;
}

const findJoined = (db: Database, owner: Principal, { digest }: RequestTry): Promise<Turn | undefined> =>
  withOwner(db, owner, (trx) => findTriedTurn(trx, owner, digest));

/** The fast path, for a message: one statement, shared with concurrent messages, accepts it and starts its turn. */
async function accept(db: Database, engine: Engine, owner: Principal, input: TurnInput): Promise<StartedTurn> {
  const turnId = newId<TurnId>();
  if (input.isUnstored) await withOwner(db, owner, (trx) => markUnstored(trx, owner, turnId));
  const accepted = await engine.accept({
    turnId,
    threadId: input.threadId ?? newId(),
    isNew: input.threadId === undefined,
    userId: owner.userId,
    channel: input.channel,
    request: toRequest(input, input.tools ?? []),
    items: input.items,
    after: input.previousTurnId,
    idempotency: input.idempotency,
    tried: input.tried,
    job: input.job,
  });
  switch (accepted.outcome) {
    case 'accepted':
      return { turn: accepted.turn, fresh: true };
    case 'known':
      return { turn: await withOwner(db, owner, (trx) => getTurnById(trx, owner, turnId)), fresh: true };
    case 'repeated':
      return { turn: await withOwner(db, owner, (trx) => getEarlier(trx, owner, accepted, input)), fresh: false };
    case 'full':
      throw new Conflict(
        'thread_busy',
        `${MAX_WAITING_TURNS} messages already wait on this thread. Send the next one when they are done.`,
      );
    case 'large':
      throw new Conflict('thread_full', 'This thread holds as much as one thread can. Begin a new one.');
    case 'busy':
    case 'gate':
    case 'unknown':
      return startStepwise(db, engine, owner, input);
  }
}

/** `timeoutMs` must be the first field: see `overdue-turns.ts`. */
function toRequest({ request, trace, timeoutMs }: TurnInput, tools: readonly ToolDefinition[]): TurnRequest {
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...request, tools, ...(trace && { trace }) };
}

/**
 * The long way, for an answer to a gate and for what the short way can't accept: place, items and gate are one transaction, and
 * the thread's row lock orders concurrent inputs, and concurrent answers to one gate.
 */
async function startStepwise(db: Database, engine: Engine, owner: Principal, input: TurnInput): Promise<StartedTurn> {
  const started = await withOwner(db, owner, async (trx): Promise<StartedTurn> => {
    const id = newId<TurnId>();
    const earlier = input.idempotency && (await findEarlier(trx, owner, id, input));
    if (earlier) return { turn: earlier, fresh: false };

    if (input.isUnstored) await markUnstored(trx, owner, id);
    const turn = await takeInput(trx, owner, id, input);
    if (input.tried) await insertTry(trx, owner, turn.id, input.tried.digest);
    if (input.job) await insertJob(trx, owner, turn, input.job);
    return { turn, fresh: true };
  });
  if (started.fresh && started.turn.status === 'queued') engine.kick(started.turn);
  return started;
}

/** The turn of an earlier request with the same key. */
export async function findEarlier(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  input: Pick<TurnInput, 'idempotency'>,
): Promise<Turn | undefined> {
  if (!input.idempotency) return undefined;
  const { key, digest, isLasting = false } = input.idempotency;
  const kept = await takeKey(trx, owner, key, { digest, turnId: id, isLasting });
  return kept.turnId === id ? undefined : getEarlier(trx, owner, kept, input);
}

async function getEarlier(
  trx: OwnedTransaction,
  owner: Principal,
  kept: { readonly turnId: TurnId; readonly digest: string },
  { idempotency }: Pick<TurnInput, 'idempotency'>,
): Promise<Turn> {
  if (kept.digest !== idempotency?.digest)
    throw new Conflict('idempotency_mismatch', 'This Idempotency-Key came with another body before. Use a new key.');
  const turn = await findTurnById(trx, owner, kept.turnId);
  if (!turn) throw new Conflict('idempotency_mismatch', 'What came of this request was deleted. Use a new key.');
  return turn;
}

async function takeInput(trx: OwnedTransaction, owner: Principal, id: TurnId, input: TurnInput): Promise<Turn> {
  const { previousTurnId: previous } = input;
  if (input.threadId && previous && !(await isKnown(trx, owner, input.threadId, previous)))
    return insertUnknownThread(trx, owner, id, input);
  const name = input.job?.conversationId;
  const threadId = input.threadId ?? (name ? await findNamedThread(trx, owner, name) : undefined);
  if (!threadId) throw new NotFound('There is no such thread.');
  const items = await withoutRepeatedBlocks(trx, owner, threadId, input.items);
  return continueThread(trx, owner, id, threadId, { ...input, items });
}

const isKnown = async (trx: OwnedTransaction, owner: Principal, threadId: ThreadId, id: TurnId): Promise<boolean> =>
  (await findTurn(trx, owner, threadId, id)) !== undefined && !(await isDelivered(trx, owner, id));

/** Clients send the same instructions and context with every tool result; the thread has them already. */
async function withoutRepeatedBlocks(
  trx: OwnedTransaction,
  owner: Principal,
  threadId: ThreadId,
  items: readonly NewItem[],
): Promise<readonly NewItem[]> {
  const last = items.at(-1);
  if (items[0]?.type !== 'function_call_output' || last?.type !== 'message') return items;
  const present = blocksOf(await listNewestRequests(trx, owner, threadId, NEWEST));
  const changed = blocksOf([last]).filter((block) => !present.includes(block));
  return [...items.slice(0, -1), ...(changed.length === 0 ? [] : [blocksMessage(changed)])];
}

/** Developer messages of callers may lie between the instructions and the end of a thread. */
const NEWEST = 20;

async function continueThread(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  threadId: ThreadId,
  input: TurnInput,
): Promise<Turn> {
  if (!(await lockThread(trx, owner, threadId))) {
    if (input.unknownThread === 'not-found') throw new NotFound('There is no such thread.');
    return insertUnknownThread(trx, owner, id, input);
  }
  const gate = await findOpenGate(trx, owner, threadId);
  if (isAnswer(input)) return continueAfter(trx, owner, id, checkAnswer(gate, callIdsOf(input)), input);

  const isRefused = gate && isRefusedAtGates(input.channel);
  if (isRefused && gate.kind === 'external-tool')
    throw new InvalidRequest('tool_output_missing', 'input', refusalAt(gate).message);
  const thread = await takeNextPosition(trx, owner, threadId, gate ? null : id, saidIn(input));
  if (!thread) throw new NotFound('There is no such thread.');
  const tools = input.tools ?? [];
  const turn = { id, threadId, seq: thread.lastSeq, channel: input.channel, request: toRequest(input, tools) };
  if (isRefused) return insertRefusedTurn(trx, owner, turn, input.items, refusalAt(gate, input.threadUrl?.(threadId)));

  const ahead = thread.active ?? gate?.turnId;
  if (ahead && ahead !== id) await checkRoom(trx, owner, threadId, ahead);
  if (JSON.stringify(tools) !== JSON.stringify(thread.catalog)) await replaceCatalog(trx, owner, threadId, tools);
  return insertTurn(trx, owner, turn, input.items, thread.active === id);
}

/** Continues a thread with the output of the caller's tool. Without new tools, the caller's tools are those of the turn that waits. */
async function continueAfter(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  gate: OpenGate,
  input: TurnInput,
): Promise<Turn> {
  const position = await takePositionAfter(trx, owner, gate, id, saidIn(input));
  if (!position) throw new NotFound('There is no such thread.');
  const { thread, seq } = position;
  const tools = input.tools ?? (await getTurnById(trx, owner, gate.turnId)).request.tools;
  const next = { id, threadId: thread.id, seq, channel: input.channel, request: toRequest(input, tools) };
  const turn = await insertTurn(trx, owner, next, input.items, thread.active === id);
  await closeGate(trx, owner, gate.id, turn.seq);
  await moveJob(trx, owner, gate.id, turn.id);
  if (JSON.stringify(tools) !== JSON.stringify(thread.catalog)) await replaceCatalog(trx, owner, thread.id, tools);
  return turn;
}

const saidIn = ({ items }: TurnInput) => ({ preview: firstWords(items).preview, bytes: bytesOf(items) });

const bytesOf = (items: readonly NewItem[]): number => Buffer.byteLength(JSON.stringify(items));

/** Whether an input is the output of a caller's tool, which new instructions may follow. */
export const isAnswer = ({ threadId, items }: TurnInput): boolean =>
  threadId !== undefined &&
  items[0]?.type === 'function_call_output' &&
  items.every((item) => item.type === 'function_call_output' || (item.type === 'message' && item.role === 'developer'));

const callIdsOf = ({ items }: TurnInput): string[] =>
  items.flatMap((item) => (item.type === 'function_call_output' ? item.callId : []));

async function checkRoom(trx: OwnedTransaction, owner: Principal, threadId: ThreadId, ahead: TurnId): Promise<void> {
  const waiting = await countWaiting(trx, owner, threadId, ahead);
  if (waiting >= MAX_WAITING_TURNS)
    throw new Conflict(
      'thread_busy',
      `${waiting} messages already wait on this thread. Send the next one when they are done.`,
    );
}

/** A failed turn on a new thread of the caller. It does not reveal whether the other thread exists. */
async function insertUnknownThread(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  input: TurnInput,
): Promise<Turn> {
  const newTurn = { id, threadId: newId<ThreadId>(), seq: 1 };
  await insertThread(trx, owner, { id: newTurn.threadId, lastSeq: 1 });
  const request = toRequest(input, input.tools ?? []);
  return insertRefusedTurn(trx, owner, { ...newTurn, channel: input.channel, request }, [], UNKNOWN_THREAD);
}

const UNKNOWN_THREAD: Failure = {
  code: 'previous_response_not_found',
  message: 'The previous response was not found. Check previous_response_id, or leave it out to begin a new thread.',
};
