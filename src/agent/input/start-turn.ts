import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type GateId, newId, type ProjectId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { NewJob } from '#domain/thread/job.ts';
import { blocksMessage, blocksOf } from '#domain/thread/replayed-history.ts';
import { MAX_WAITING_TURNS, type Placement, type ThreadUrl, type WhenBusy } from '#domain/thread/thread.ts';
import {
  type Channel,
  type Failure,
  type RequestTry,
  refusalAt,
  type Turn,
  type TurnRequest,
} from '#domain/thread/turn.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { TraceContext } from '#domain/trace/trace-context.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import type { Engine } from '#engine/engine.ts';
import type { Accepting } from '#engine/statements/accept.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { holdProject } from '#store/projects/projects.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { findKey, type KeptKey, takeKey } from '#store/threads/idempotency-keys.ts';
import { listNewestRequests } from '#store/threads/items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { findTriedTurn, findTurn, findTurnById, getTurnById } from '#store/threads/turns.ts';
import { isDelivered } from '#store/threads/unstored-turns.ts';
import { checkAnswer } from '../gates/gates.ts';
import { supersedeGate } from '../gates/supersede-gate.ts';
import { chooseWork } from './choose-work.ts';
import { findPlacement } from './find-placement.ts';
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
  /** Uploaded files that the thread gets with the input. */
  readonly addedFiles?: readonly Upload[];
  readonly request: Omit<TurnRequest, 'tools' | 'trace' | 'timeoutMs'>;
  /** The name of an assistant, or null for none. Without it, a chat message continues with that of its thread. */
  readonly assistant?: string | null | undefined;
  /** The turn is cancelled so long after it was accepted. Without it, no caller waits for its end. */
  readonly timeoutMs?: number;
  /** The caller's span that the turn belongs to. */
  readonly trace?: TraceContext;
  /** The caller's tools; undefined when the request has none. */
  readonly tools: readonly ToolDefinition[] | undefined;
  /** What becomes of it while its thread is busy. `preferred`: as the user has chosen. Without it, it is queued. */
  readonly whenBusy?: WhenBusy | 'preferred' | undefined;
  /** It waits at an open gate, although its caller is one of the model APIs. */
  readonly queuesAtGate?: boolean;
  /** A repeated request with the same key returns the same turn. */
  readonly idempotency: Idempotency | undefined;
  /** A repeated request joins the turn of an earlier try. First tries always start a turn. */
  readonly tried?: RequestTry;
  /** The items are a whole history, and always start a new thread. */
  readonly startsThread?: boolean;
  /** The turn is deleted once its reply was delivered, or an hour after its end. */
  readonly isUnstored?: boolean;
  /** Where a person answers the gate of a thread. The error for a refused caller names it. */
  readonly threadUrl?: ThreadUrl;
  /** Makes the turn a job. A job can name its thread: the first job of that name starts it, later ones continue it. */
  readonly job?: NewJob;
};

/** `isLasting`: the key never expires; others expire after a day. */
export type Idempotency = { readonly key: string; readonly digest: string; readonly isLasting?: boolean };

/**
 * `fresh`: accepted now. Otherwise it is the turn of an earlier request with the same key. `placed`: where it is now; null when it has
 * ended.
 */
export type StartedTurn = { readonly turn: Turn; readonly fresh: boolean; readonly placed: Placement | null };

/** Accepts an input. Once this resolves, the input can't be lost. */
export async function startTurn(
  db: Database,
  engine: Engine,
  owner: Principal,
  asked: TurnInput,
): Promise<StartedTurn> {
  const joined = asked.tried?.isRepeated && (await findJoined(db, owner, asked.tried));
  if (joined) return earlierTurn(db, owner, joined, false);
  if (asked.request.project) await requireHeld(db, owner, asked.request.project);
  const input = { ...asked, request: { ...asked.request, ...(await chooseWork(db, owner, asked)) } };
  const mayReplay = input.threadId === undefined && !input.startsThread;
  const replay = mayReplay ? await findReplayedThread(db, owner, input.items) : undefined;
  const continued = replay?.kind === 'continues' ? { ...input, threadId: replay.threadId, items: replay.items } : input;
  // First: if a crash follows, the repeated request finds no gate and still starts its thread.
  if (replay?.kind === 'differs') await supersedeGate(db, engine, owner, replay.gate);
  const started = isAnswer(continued)
    ? await acceptAnswer(db, engine, owner, continued)
    : await accept(db, engine, owner, continued);
  if (started.fresh) engine.notifyThread(started.turn);
  return started;
}

/** A member of the project gets their own row, which threads refer to. */
async function requireHeld(db: Database, owner: Principal, project: ProjectId): Promise<void> {
  if (!(await withOwner(db, owner, (trx) => holdProject(trx, owner, project))))
    throw new InvalidRequest('invalid_request', 'project_id', 'This project does not exist.');
}

const findJoined = (db: Database, owner: Principal, { digest }: RequestTry): Promise<Turn | undefined> =>
  withOwner(db, owner, (trx) => findTriedTurn(trx, owner, digest));

/** Sends an input to the engine, and refuses it as `accept_turns` has decided. */
async function accept(
  db: Database,
  engine: Engine,
  owner: Principal,
  input: TurnInput,
  decided: Pick<Accepting, 'answers' | 'refusal'> = {},
): Promise<StartedTurn> {
  const sent = { ...toAccepting(owner, input), ...decided };
  const accepted = await engine.accept(sent);
  switch (accepted.outcome) {
    case 'accepted':
      return { turn: accepted.turn, fresh: true, placed: accepted.turn.failure ? null : accepted.placed };
    case 'known':
      return earlierTurn(db, owner, await withOwner(db, owner, (trx) => getTurnById(trx, owner, sent.turnId)), true);
    case 'repeated':
      return earlierTurn(
        db,
        owner,
        await withOwner(db, owner, (trx) => getEarlier(trx, owner, accepted, input)),
        false,
      );
    case 'answered':
      return acceptAnswer(db, engine, owner, input);
    case 'gate':
      return accept(db, engine, owner, input, await refuseAtGate(db, owner, input));
    case 'unknown':
      return acceptUnknown(db, engine, owner, input);
    case 'full':
      throw new Conflict(
        'thread_busy',
        `${MAX_WAITING_TURNS} messages already wait on this thread. Send the next one when they are done.`,
      );
    case 'working':
      throw new Conflict(
        'thread_busy',
        'A turn of this thread runs or waits for an answer. Send the message again when it has ended, or without when_busy: refuse.',
      );
    case 'large':
      throw new Conflict('thread_full', 'This thread holds as much as one thread can. Begin a new one.');
  }
}

/** A turn that was accepted before, and where it is now. */
const earlierTurn = (db: Database, owner: Principal, turn: Turn, fresh: boolean): Promise<StartedTurn> =>
  withOwner(db, owner, async (trx) => ({ turn, fresh, placed: await findPlacement(trx, owner, turn) }));

const toAccepting = (owner: Principal, input: TurnInput): Accepting => ({
  turnId: newId<TurnId>(),
  threadId: input.threadId ?? newId(),
  isNew: input.threadId === undefined,
  userId: owner.userId,
  channel: input.channel,
  request: toRequest(input),
  items: input.items,
  after: input.previousTurnId,
  idempotency: input.idempotency,
  tried: input.tried,
  isUnstored: input.isUnstored,
  job: input.job,
  whenBusy: input.whenBusy,
  queuesAtGate: input.queuesAtGate,
});

/** `timeoutMs` must be the first field and `task` the next one: see `overdue-turns.ts` and `accept_turns.sql`. */
function toRequest({ request: { task, ...request }, trace, timeoutMs, tools = [] }: TurnInput): TurnRequest {
  const first = { ...(timeoutMs !== undefined && { timeoutMs }), ...(task && { task }) };
  return { ...first, ...request, tools, ...(trace && { trace }) };
}

/** A message at an open gate becomes a turn that has failed, if the gate is still open then. Callers' tools must answer first. */
async function refuseAtGate(db: Database, owner: Principal, input: TurnInput): Promise<Pick<Accepting, 'refusal'>> {
  const { threadId } = input;
  const gate = threadId && (await withOwner(db, owner, (trx) => findOpenGate(trx, owner, threadId)));
  if (!gate) return {};
  if (gate.kind === 'external-tool') throw new InvalidRequest('tool_output_missing', 'input', refusalAt(gate).message);
  return { refusal: { failure: refusalAt(gate, input.threadUrl?.(threadId)), gateId: gate.id } };
}

/** A failed turn on a new thread of the caller. It does not reveal whether the other thread exists. */
function acceptUnknown(db: Database, engine: Engine, owner: Principal, input: TurnInput): Promise<StartedTurn> {
  if (input.unknownThread === 'not-found') throw new NotFound('This thread does not exist.');
  const fresh = { ...input, threadId: undefined, previousTurnId: undefined, items: [] };
  return accept(db, engine, owner, fresh, { refusal: { failure: UNKNOWN_THREAD } });
}

const UNKNOWN_THREAD: Failure = {
  code: 'previous_response_not_found',
  message: 'The previous response was not found. Check previous_response_id, or leave it out to begin a new thread.',
};

/** Whether an input is the output of a caller's tool, which new instructions may follow. */
export const isAnswer = ({ threadId, items }: TurnInput): boolean =>
  threadId !== undefined &&
  items[0]?.type === 'function_call_output' &&
  items.every((item) => item.type === 'function_call_output' || (item.type === 'message' && item.role === 'developer'));

/** Accepts the output of a caller's tool together with the gate that it closes. */
async function acceptAnswer(db: Database, engine: Engine, owner: Principal, input: TurnInput): Promise<StartedTurn> {
  const prepared = await withOwner(db, owner, (trx) => prepareAnswer(trx, owner, input));
  if (!prepared) return acceptUnknown(db, engine, owner, input);
  if ('earlier' in prepared) return earlierTurn(db, owner, prepared.earlier, false);
  return accept(db, engine, owner, prepared.input, { answers: prepared.gateId });
}

type PreparedAnswer = { readonly input: TurnInput; readonly gateId: GateId } | { readonly earlier: Turn };

/**
 * Without new tools, the caller's tools, the assistant, the container, the options of searches and the stores come from the turn that waits. The gate may be closed because an earlier request with
 * the same key has answered it. Undefined: the thread does not exist.
 */
async function prepareAnswer(
  trx: OwnedTransaction,
  owner: Principal,
  input: TurnInput,
): Promise<PreparedAnswer | undefined> {
  const { threadId, previousTurnId: previous } = input;
  if (!threadId || (previous && !(await isKnown(trx, owner, threadId, previous)))) return undefined;
  const open = await findOpenGate(trx, owner, threadId);
  if (!open && !(await findThread(trx, owner, threadId))) return undefined;
  const known = input.idempotency && (await findKey(trx, owner, input.idempotency.key));
  if (known) return { earlier: await getEarlier(trx, owner, known, input) };
  const gate = checkAnswer(open, callIdsOf(input));
  const items = await withoutRepeatedBlocks(trx, owner, threadId, input.items);
  if (input.tools) return { input: { ...input, items }, gateId: gate.id };
  const { tools, assistant, container, search, stores } = (await getTurnById(trx, owner, gate.turnId)).request;
  const kept = { ...(container && { container }), ...(search && { search }), ...(stores && { stores }) };
  const request = { ...(assistant && { assistant }), ...input.request, ...kept };
  return { input: { ...input, items, tools, request }, gateId: gate.id };
}

const isKnown = async (trx: OwnedTransaction, owner: Principal, threadId: ThreadId, id: TurnId): Promise<boolean> =>
  (await findTurn(trx, owner, threadId, id)) !== undefined && !(await isDelivered(trx, owner, id));

const callIdsOf = ({ items }: TurnInput): string[] =>
  items.flatMap((item) => (item.type === 'function_call_output' ? item.callId : []));

/** Clients send the same instructions and context with every tool result; the thread has them already. */
async function withoutRepeatedBlocks(
  trx: OwnedTransaction,
  owner: Principal,
  threadId: ThreadId,
  items: readonly NewItem[],
): Promise<readonly NewItem[]> {
  const last = items.at(-1);
  if (last?.type !== 'message') return items;
  const present = blocksOf(await listNewestRequests(trx, owner, threadId, NEWEST));
  const changed = blocksOf([last]).filter((block) => !present.includes(block));
  return [...items.slice(0, -1), ...(changed.length === 0 ? [] : [blocksMessage(changed)])];
}

/** Developer messages of callers may lie between the instructions and the end of a thread. */
const NEWEST = 20;

/** The turn of an earlier request with the same key; otherwise the key now belongs to `id`. */
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
  kept: KeptKey,
  { idempotency }: Pick<TurnInput, 'idempotency'>,
): Promise<Turn> {
  if (kept.digest !== idempotency?.digest)
    throw new Conflict('idempotency_mismatch', 'This Idempotency-Key came with another body before. Use a new key.');
  const turn = await findTurnById(trx, owner, kept.turnId);
  if (!turn) throw new Conflict('idempotency_mismatch', 'What came of this request was deleted. Use a new key.');
  return turn;
}
