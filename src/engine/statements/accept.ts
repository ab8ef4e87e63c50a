import { ownCell } from '#domain/cell/cell.ts';
import type { GateId, ReplicaId, ThreadId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { firstWords } from '#domain/text/first-words.ts';
import type { NewItem } from '#domain/thread/item.ts';
import { bodyOf, itemFields } from '#domain/thread/item-fields.ts';
import type { NewJob } from '#domain/thread/job.ts';
import {
  MAX_THREAD_BYTES,
  MAX_WAITING_TURNS,
  type Placement,
  placeInQueue,
  type WhenBusy,
} from '#domain/thread/thread.ts';
import {
  type Channel,
  type Failure,
  positionInput,
  type RequestTry,
  type Steers,
  type Turn,
  type TurnRequest,
} from '#domain/thread/turn.ts';
import type { GateKind } from '#domain/tool/gate.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { EnginePool } from '../engine-connection.ts';
import { toDocument } from './entries.ts';
import { type ClaimedTurn, type ThreadContextJson, toContext, type UserContext } from './turn-context.ts';

/** An input that is to become a turn. */
export type Accepting = {
  readonly turnId: TurnId;
  readonly threadId: ThreadId;
  readonly isNew: boolean;
  readonly userId: UserId;
  readonly channel: Channel;
  readonly request: TurnRequest;
  readonly items: readonly NewItem[];
  /** A turn that must belong to the thread. */
  readonly after?: TurnId | undefined;
  /** `isLasting`: the key is kept without limit instead of for a day. */
  readonly idempotency?: { readonly key: string; readonly digest: string; readonly isLasting?: boolean } | undefined;
  readonly tried?: RequestTry | undefined;
  readonly isUnstored?: boolean | undefined;
  readonly job?: NewJob | undefined;
  /** The open gate that the input answers: it is closed. */
  readonly answers?: GateId | undefined;
  /** `preferred`: as the user has chosen. Without it, the input is queued. */
  readonly whenBusy?: WhenBusy | 'preferred' | undefined;
  /** It waits at an open gate, although its channel is one of the model APIs. */
  readonly queuesAtGate?: boolean | undefined;
  /** Stores the turn as one that failed and never runs: on a new thread, or if this gate is still open. */
  readonly refusal?: { readonly failure: Failure; readonly gateId?: GateId } | undefined;
};

export type Accepted =
  /** `claimed`: it runs here from now on. It has failed if it was refused. `steered`: the turn that is to end because of it. */
  | {
      readonly outcome: 'accepted';
      readonly turn: Turn;
      readonly placed: Placement;
      readonly claimed?: ClaimedTurn;
      readonly waits: boolean;
      readonly steered?: TurnId;
    }
  /** An earlier send of the same input was stored. */
  | { readonly outcome: 'known' }
  /** The idempotency key belongs to another turn. */
  | { readonly outcome: 'repeated'; readonly turnId: TurnId; readonly digest: string }
  /** The thread is locked for a moment. */
  | { readonly outcome: 'busy' }
  /** `answered`: the gate is closed. The others are reasons for a refusal. */
  | { readonly outcome: 'unknown' | 'gate' | 'full' | 'large' | 'working' | 'answered' };

/**
 * Accepts inputs of any users in one statement: each becomes a turn that can't be lost. If its thread is free, and for up
 * to `room` of them, the turn starts here at once and its context is returned too.
 */
export async function acceptTurns(
  pool: EnginePool,
  self: ReplicaId,
  room: number,
  batch: readonly Accepting[],
): Promise<Accepted[]> {
  const inputs = toDocument(batch.map(toEntry));
  const limits = [MAX_WAITING_TURNS, MAX_THREAD_BYTES];
  const { rows } =
    ownCell() === undefined
      ? await pool.query<AcceptedRow>(ACCEPT, [self, room, ...limits, inputs])
      : await pool.query<AcceptedRow>(ACCEPT_IN_CELL, [
          self,
          room,
          ...limits,
          inputs,
          batch.map(({ userId }) => userId),
        ]);
  return batch.map((input, index) => {
    const row = rows[index];
    if (!row) throw new Error(`The input ${input.turnId} was not answered.`);
    return toAccepted(input, row);
  });
}

const ACCEPT = `
  select outcome, turn_id as "turnId", thread_id as "threadId", seq, created_at as "createdAt", digest,
    of_user as "ofUser", of_thread as "ofThread", ahead, gate_kind as "gateKind", steered
  from accept_turns($1, $2, $3, $4, $5)`;

/** Refuses users who move to another cell. */
const ACCEPT_IN_CELL = ACCEPT.replace('$5', () => 'case when refuse_moving($6::text[]) is not null then $5::json end');

function toEntry(input: Accepting): object {
  const { request, items, idempotency, job } = input;
  const { opening, preview } = firstWords(items);
  return {
    turn: input.turnId,
    thread: input.threadId,
    is_new: input.isNew,
    owner: input.userId,
    channel: input.channel,
    request: JSON.stringify(request),
    catalog: JSON.stringify(request.tools),
    opening,
    preview,
    bytes: items.reduce((sum, item) => sum + Buffer.byteLength(bodyOf(item)), 0),
    after: input.after,
    ...(idempotency && { key: idempotency.key, digest: idempotency.digest, lasting: idempotency.isLasting ?? false }),
    try: input.tried?.digest,
    unstored: input.isUnstored,
    ...(job && {
      is_job: true,
      name: job.conversationId,
      metadata: job.metadata && JSON.stringify(job.metadata),
      callback: job.callbackUrl,
    }),
    answers: input.answers,
    when_busy: input.whenBusy,
    queues_at_gate: input.queuesAtGate,
    temporary: request.temporary,
    project: request.project,
    assistant: request.assistant?.id,
    refused_at: input.refusal?.gateId,
    failure: input.refusal && JSON.stringify(input.refusal.failure),
    ...itemFields(items, 0),
  };
}

type AcceptedRow = {
  readonly outcome: 'running' | 'queued' | 'handed' | 'refused' | Exclude<Accepted['outcome'], 'accepted'>;
  readonly turnId: TurnId;
  readonly threadId: ThreadId;
  readonly seq: number;
  readonly createdAt: Date;
  readonly digest: string;
  readonly ofUser: UserContext | null;
  /** Null on a new thread outside of projects. */
  readonly ofThread: ThreadContextJson | null;
  readonly ahead: number | null;
  readonly gateKind: GateKind | null;
  readonly steered: TurnId | null;
};

function toAccepted(input: Accepting, row: AcceptedRow): Accepted {
  const { outcome, turnId, digest, ofUser, ofThread, ahead, gateKind, steered } = row;
  if (outcome === 'repeated') return { outcome, turnId, digest };
  if (outcome !== 'running' && outcome !== 'queued' && outcome !== 'handed' && outcome !== 'refused')
    return { outcome };

  const isRefused = outcome === 'refused';
  const steers: Steers | null = !steered ? null : input.whenBusy === 'now' ? 'now' : 'step';
  const placed: Placement =
    outcome === 'queued'
      ? placeInQueue({ steers }, { gate: gateKind ?? undefined, ahead: ahead ?? 0 })
      : { type: 'started' };
  const turn: Turn = {
    id: input.turnId,
    threadId: row.threadId,
    userId: input.userId,
    seq: row.seq,
    run: null,
    steers,
    steeredBy: null,
    status: isRefused ? 'failed' : 'queued',
    channel: input.channel,
    request: input.request,
    failure: (isRefused && input.refusal?.failure) || null,
    usage: NO_USAGE,
    attempt: -1,
    cancelReason: null,
    createdAt: row.createdAt,
    endedAt: isRefused ? row.createdAt : null,
  };
  if (!ofUser) return { outcome: 'accepted', turn, placed, waits: outcome === 'handed', ...(steered && { steered }) };
  const claimed: ClaimedTurn = {
    turn: { ...turn, status: 'running', attempt: 0 },
    suspicion: 'none',
    broken: 0,
    context: toContext(ofUser, ofThread ?? newThread(input), positionInput(turn, input.items)),
  };
  return { outcome: 'accepted', turn, placed, claimed, waits: false };
}

const newThread = ({ request: { temporary } }: Accepting): ThreadContextJson => ({
  gateAhead: null,
  summary: null,
  history: [],
  ...(temporary && { temporary }),
});
