import { ownCell } from '#domain/cell.ts';
import type { ReplicaId, ThreadId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { firstWords } from '#domain/thread/first-words.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { NewJob } from '#domain/thread/job.ts';
import { MAX_THREAD_BYTES, MAX_WAITING_TURNS } from '#domain/thread/thread.ts';
import { type Channel, positionInput, type RequestTry, type Turn, type TurnRequest } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { EnginePool } from '../engine-connection.ts';
import { parameters } from './append.ts';
import { useParameters, writeUses } from './attachment-uses.ts';
import { tryParameters, writeTries } from './request-tries.ts';
import { textParameters, writeTexts } from './said-texts.ts';
import { type ClaimedTurn, type ContextJson, contextFromJson } from './turn-context.ts';

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
  readonly job?: NewJob | undefined;
};

export type Accepted =
  /** `claimed`: it runs here from now on. */
  | { readonly outcome: 'accepted'; readonly turn: Turn; readonly claimed?: ClaimedTurn; readonly waits: boolean }
  /** An earlier send of the same input was stored. */
  | { readonly outcome: 'known' }
  /** The idempotency key belongs to another turn. */
  | { readonly outcome: 'repeated'; readonly turnId: TurnId; readonly digest: string }
  /** `busy`: the thread is locked for a moment. The others are reasons for a refusal. */
  | { readonly outcome: 'busy' | 'unknown' | 'gate' | 'full' | 'large' };

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
  const items = batch.flatMap((input, index) =>
    input.items.map((item, position) => ({ n: index + 1, item, position })),
  );
  const previews = batch.map((input) => firstWords(input.items));
  const { rows } = await pool.query<AcceptedRow>(ownCell() === undefined ? ACCEPT : ACCEPT_IN_CELL, [
    self,
    room,
    MAX_WAITING_TURNS,
    MAX_THREAD_BYTES,
    batch.map(({ turnId }) => turnId),
    batch.map(({ threadId }) => threadId),
    batch.map(({ userId }) => userId),
    batch.map(({ channel }) => channel),
    batch.map(({ request }) => JSON.stringify(request)),
    batch.map(({ request }) => JSON.stringify(request.tools)),
    previews.map(({ opening }) => opening),
    previews.map(({ preview }) => preview),
    batch.map(({ isNew }) => isNew),
    batch.map(({ after }) => after ?? null),
    batch.map(({ idempotency }) => idempotency?.key ?? null),
    batch.map(({ idempotency }) => idempotency?.digest ?? null),
    batch.map(({ idempotency }) => idempotency?.isLasting ?? false),
    batch.map(({ job }) => job !== undefined),
    batch.map(({ job }) => job?.conversationId ?? null),
    batch.map(({ job }) => (job?.metadata ? JSON.stringify(job.metadata) : null)),
    batch.map(({ job }) => job?.callbackUrl ?? null),
    items.map(({ n }) => n),
    items.map(({ position }) => position),
    items.map(({ item }) => item.id),
    items.map(({ item: { id: _, ...body } }) => JSON.stringify(body)),
    ...textParameters(batch),
    ...useParameters(batch),
    ...tryParameters(batch),
  ]);
  const found = new Map(rows.map((row) => [row.entry, row]));
  return batch.map((input, index) => {
    const row = found.get(index + 1);
    if (!row) throw new Error(`The input ${input.turnId} was not answered.`);
    return toAccepted(input, row);
  });
}

const ACCEPTED = ['running', 'queued', 'handed'];
const ACCEPT = `
  with done as materialized (select * from accept_turns(${parameters(25)})),
    ${writeTexts(25, ACCEPTED, 'done.thread_id')},
    ${writeUses(31, ACCEPTED)},
    ${writeTries(35, ACCEPTED)}
  select entry, outcome, turn_id as "turnId", thread_id as "threadId", seq, created_at as "createdAt", digest, context
  from done`;

/** Refuses users who move to another cell. */
const ACCEPT_IN_CELL = ACCEPT.replace('$7', () => 'refuse_moving($7::text[])');

type AcceptedRow = {
  readonly entry: number;
  readonly outcome: 'running' | 'queued' | 'handed' | Exclude<Accepted['outcome'], 'accepted'>;
  readonly turnId: TurnId;
  readonly threadId: ThreadId;
  readonly seq: number;
  readonly createdAt: Date;
  readonly digest: string;
  readonly context: ContextJson | null;
};

function toAccepted(input: Accepting, row: AcceptedRow): Accepted {
  const { outcome, turnId, digest, context } = row;
  if (outcome === 'repeated') return { outcome, turnId, digest };
  if (outcome !== 'running' && outcome !== 'queued' && outcome !== 'handed') return { outcome };

  const turn: Turn = {
    id: input.turnId,
    threadId: row.threadId,
    userId: input.userId,
    seq: row.seq,
    run: null,
    status: 'queued',
    channel: input.channel,
    request: input.request,
    failure: null,
    usage: NO_USAGE,
    attempt: -1,
    cancelReason: null,
    createdAt: row.createdAt,
    endedAt: null,
  };
  if (!context) return { outcome: 'accepted', turn, waits: outcome === 'handed' };
  const claimed: ClaimedTurn = {
    turn: { ...turn, status: 'running', attempt: 0 },
    suspicion: 'none',
    broken: 0,
    context: contextFromJson(context, positionInput(turn, input.items)),
  };
  return { outcome: 'accepted', turn, claimed, waits: false };
}
