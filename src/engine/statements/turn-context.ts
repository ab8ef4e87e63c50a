import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SpendingLimits, Spent } from '#domain/spending.ts';
import { type Item, type ItemJson, itemFromJson } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { Gate } from '#domain/tool/gate.ts';
import { NO_USAGE, type Usage } from '#domain/usage.ts';
import type { TurnProject } from '#domain/work/project.ts';
import type { EnginePool } from '../engine-connection.ts';
import { STEERING, type Steering } from './steering.ts';

/** A turn that this replica may run. */
export type ClaimedTurn = {
  readonly turn: Turn;
  /** How long ago it was accepted; absent when it starts in the call that accepts it. */
  readonly ageMs?: number;
  readonly suspicion: Suspicion;
  /** The largest group that a suspect may run in; undefined if it was not in quarantine so far. */
  readonly groupLimit?: number | undefined;
  /** How many attempts ended in an unexpected error. */
  readonly broken: number;
  /** Whether a message waits that steers it. */
  readonly isSteered?: boolean;
  /** What the earlier turns of its run have used. */
  readonly usedBefore?: readonly Usage[];
  /** What the children of its run have used whose reports were delivered. */
  readonly usedBelow?: Spent;
  /** Present when the turn starts in the call that accepts it; otherwise it is read after the claim. */
  readonly context?: TurnContext;
};

/** The part of a turn's context that belongs to its user. */
export type UserContext = {
  /** The user's limits, if they differ from the default. */
  readonly limits: SpendingLimits | null;
  /** What the user has spent today. */
  readonly spent: Spent;
  /** Whether the agent may write notes. */
  readonly remembers?: boolean;
  /** The user's identity notes and the operator's defaults. */
  readonly notes: readonly { readonly userId: UserId; readonly path: string; readonly text: string }[];
  /** The user's skills and the shared ones. */
  readonly skills: readonly { readonly userId: UserId; readonly name: string; readonly description: string }[];
  /** Changes when a secret that the user may use is added, changed or removed; null when there are none. */
  readonly secrets: string | null;
};

type ThreadContext = {
  /** Whether the thread is temporary, and its turns neither read nor write memory. */
  readonly temporary?: boolean | null;
  /** Whether its owner has asked for a summary of its earlier messages, which no turn has written yet. */
  readonly compactAsked?: boolean | null;
  /** The project that the thread is in. */
  readonly project?: TurnProject | null;
  /** An open gate of an earlier turn. */
  readonly gateAhead: Gate | null;
  /** Replaces the older part of the thread, which is not included. */
  readonly summary: Summary | null;
  /** The thread up to and including this turn's input, at least from the summary on; null when it is too large to include. */
  readonly history: readonly Item[] | null;
};

/** The data a turn starts with, as of its start. */
export type TurnContext = UserContext & ThreadContext;

/**
 * Whether a turn kills its hosts. Each attempt that crashed without having written anything makes it more likely: after
 * two it is a suspect and runs in quarantine, in a group. Each crash of the host halves the group; if it crashes while the
 * turn is in quarantine alone, the turn is poison.
 */
export type Suspicion = 'none' | 'suspect' | 'poison';

const LOST_ATTEMPTS_OF_A_SUSPECT = 2;

/** As the database gives it. */
export type ThreadContextJson = Omit<ThreadContext, 'history'> & { readonly history: readonly ItemJson[] | null };

/** `input`: the turn's own input, if it was not in the table yet. */
export function toContext(
  ofUser: UserContext,
  { history, ...ofThread }: ThreadContextJson,
  input: readonly Item[] = [],
): TurnContext {
  return { ...ofUser, ...ofThread, history: history && [...history.map(itemFromJson), ...input] };
}

/**
 * Reads the rows of turns that this replica has claimed, without those it has lost since. A later turn of a run has the mission of
 * the first one, and what the first one got from the run above.
 */
export async function readClaimedTurns(
  pool: EnginePool,
  self: ReplicaId,
  ids: readonly TurnId[],
): Promise<ClaimedTurn[]> {
  const { rows } = await pool.query<ClaimedRow>(CLAIMED, [self, ids]);
  return rows.map(
    ({ handback, groupAttempt, groupSize, progress, broken, ageMs, steering, first, usages, usedBelow, ...turn }) => {
      const good = Math.max(progress ?? 0, handback); // the newest attempt that wrote something or was handed back
      const group = (groupAttempt ?? -1) > good ? groupSize : null; // the size of the group that crashed
      const { mission = first?.mission, above = first?.above } = turn.request;
      const request = { ...turn.request, ...(mission && { mission }), ...(above && { above }) };
      return {
        turn: { ...turn, request, usage: NO_USAGE },
        ageMs,
        broken,
        isSteered: steering !== null,
        usedBefore: usages ?? [],
        ...(usedBelow && { usedBelow }),
        suspicion: group === 1 ? 'poison' : turn.attempt - good >= LOST_ATTEMPTS_OF_A_SUSPECT ? 'suspect' : 'none',
        groupLimit: group === null ? undefined : Math.max(1, Math.floor(group / 2)),
      };
    },
  );
}

type ClaimedRow = Omit<Turn, 'usage'> & {
  readonly ageMs: number;
  readonly handback: number;
  readonly groupAttempt: number | null;
  readonly groupSize: number | null;
  readonly progress: number | null;
  readonly broken: number;
  readonly steering: Steering;
  readonly usedBelow: Spent | null;
  /** The request of the first turn of its run, if that is a mission's or belongs to a tree. */
  readonly first: TurnRequest | null;
  readonly usages: readonly Usage[] | null;
};

// The newest attempt that wrote an item is looked up only from the second attempt on, and a run only from its second turn on.
const CLAIMED = `
  select id, thread_id as "threadId", user_id as "userId", seq, run, tree, steers, steered_by as "steeredBy", status, channel, request, failure, attempt,
    cancel_reason as "cancelReason", created_at as "createdAt", ended_at as "endedAt",
    extract(epoch from now() - created_at)::float8 * 1000 as "ageMs", handback, broken,
    group_attempt as "groupAttempt", group_size as "groupSize",
    case when attempt > 0 then (
      select max(items.attempt) from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq
    ) end as progress, ${STEERING} as steering,
    case when run is not null then (
      select first.request from turns as first where first.id = turns.run and (first.channel = 'mission' or first.tree is not null)
    ) end as first,
    case when run is not null then (
      select json_agg(earlier.usage) from turns as earlier
      where (earlier.id = turns.run or earlier.run = turns.run) and earlier.seq < turns.seq and earlier.usage is not null
    ) end as usages,
    case when tree is not null then (
      select json_build_object('call', call, 'depth', depth, 'tokensPerRun', tokens_limit, 'usdPerRun', usd_limit)
      from delegations join threads on threads.id = child_thread_id where child_run = coalesce(turns.run, turns.id)
    ) end as child,
    case when tree is not null then (
      select json_build_object('tokens', coalesce(sum(tokens_used), 0), 'usd', coalesce(sum(usd_used), 0))
      from delegations where delegations.run = coalesce(turns.run, turns.id) and delivered_at is not null
    ) end as "usedBelow"
  from turns where id = any($2::uuid[]) and runner = $1 and status = 'running'
  order by created_at`;

export async function readContexts(pool: EnginePool, turns: readonly Turn[]): Promise<TurnContext[]> {
  const { rows } = await pool.query<{ ofUser: UserContext; ofThread: ThreadContextJson }>(
    `select user_context(user_id) as "ofUser", thread_context(user_id, thread_id, seq) as "ofThread"
     from unnest($1::text[], $2::uuid[], $3::integer[]) with ordinality as asked (user_id, thread_id, seq, n) order by n`,
    [turns.map((turn) => turn.userId), turns.map((turn) => turn.threadId), turns.map((turn) => turn.seq)],
  );
  return rows.map(({ ofUser, ofThread }) => toContext(ofUser, ofThread));
}

/** How much of a thread fits into one prompt. Older items are left out, unless they belong to pending calls. */
const MAX_HISTORY_BYTES = 32 * 1024 * 1024;

/** The history of a thread that is too large for its turn's context: the newest part up to the limit, in order. */
export async function readLargeHistory(pool: EnginePool, turn: Turn): Promise<{ items: Item[]; isCut: boolean }> {
  const { rows } = await pool.query<ItemJson & { isCut: boolean }>(LARGE_HISTORY, [
    turn.threadId,
    turn.userId,
    turn.seq,
    MAX_HISTORY_BYTES,
  ]);
  return { items: rows.map(({ isCut: _, ...item }) => itemFromJson(item)), isCut: rows[0]?.isCut ?? false };
}

// Whole turns only, so that no call is separated from its output. `needed`: the turns after the last one that did not end at a
// gate; materialized, because PostgreSQL 15 would look for it again with each item.
const LARGE_HISTORY = `
  with sizes as (
    select turn_seq, sum(sum(octet_length(body::text))) over (order by turn_seq desc) as held
    from items where thread_id = $1 and user_id = $2 and turn_seq <= $3
      and turn_seq >= coalesce((
        select max(through_seq) from summaries where thread_id = $1 and user_id = $2
          and not exists (select from turns where hidden and turns.thread_id = $1 and turns.seq = through_seq)), 0)
      and not exists (select from turns as other where (other.refused or other.hidden) and other.thread_id = $1 and other.seq = items.turn_seq)
    group by turn_seq
  ), needed as materialized (
    select coalesce((
      select seq from turns where thread_id = $1 and seq < $3 and status <> 'waiting' and not refused and not hidden
      order by seq desc limit 1), 0) as after
  )
  select items.thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, id, attempt, body, usage,
    to_json(started_at) as "startedAt",
    (select coalesce(bool_or(held > $4 and turn_seq <= after), false) from sizes, needed) as "isCut"
  from items join sizes using (turn_seq), needed
  where thread_id = $1 and user_id = $2 and (sizes.held <= $4 or turn_seq > needed.after)
  order by turn_seq, position`;
