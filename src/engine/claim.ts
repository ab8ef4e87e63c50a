import type { Gate } from '#domain/gate.ts';
import type { ReplicaId } from '#domain/ids.ts';
import type { Item } from '#domain/item.ts';
import { type ItemJson, itemFromJson } from '#domain/item-json.ts';
import type { SpendingLimits } from '#domain/spending.ts';
import type { Summary } from '#domain/summary.ts';
import type { Turn } from '#domain/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type EnginePool, type EngineTransaction, inTransaction } from './engine-connection.ts';
import type { JobClaim, Queue } from './queue.ts';

/** A turn that this replica may run, and the job that says so. */
export type ClaimedTurn = {
  readonly turn: Turn;
  readonly job: JobClaim;
  readonly suspicion: Suspicion;
  /** What stands for the part of the thread that does not come along. */
  readonly summary: Summary | null;
  /** What the thread has said up to and including this turn's input, at least from the summary on. */
  readonly history: readonly Item[];
  /** The user's own, if there are any. */
  readonly limits: SpendingLimits | null;
  /** A gate that was open when the turn got its place, and which it does not answer. */
  readonly gateAhead: Gate | null;
};

/**
 * Whether a turn kills its hosts. Each attempt that ended in a crash without having written anything makes it more
 * likely: after two it is a suspect and runs on trial; if that attempt crashed as well, it is poison.
 */
export type Suspicion = 'none' | 'suspect' | 'poison';

const LOST_ATTEMPTS_OF_A_SUSPECT = 2;

/** Takes up to `count` turns. A newer attempt of a turn shuts out the older one from this moment on. */
export function claimTurns(pool: EnginePool, queue: Queue, replica: ReplicaId, count: number): Promise<ClaimedTurn[]> {
  return inTransaction(pool, async (trx) => {
    const jobs = await queue.fetch(trx, count);
    if (jobs.length === 0) return [];

    const { rows } = await trx.query<ClaimedRow>(CLAIM, [
      replica,
      jobs.map((job) => job.id),
      jobs.map((job) => job.retryCount),
    ]);
    const claimed = new Map(rows.map((row) => [row.id, row]));
    await startJobs(trx, rows);
    await queue.delete(
      trx,
      jobs.filter((job) => !claimed.has(job.id)),
    ); // their turns have ended

    return jobs.flatMap((job) => {
      const row = claimed.get(job.id);
      return row ? [toClaimedTurn(row, job)] : [];
    });
  });
}

/** A job runs when its first turn does. */
async function startJobs(trx: EngineTransaction, rows: readonly ClaimedRow[]): Promise<void> {
  const turns = rows.flatMap(({ id, channel }) => (channel === 'webhook' ? id : []));
  if (turns.length > 0)
    await trx.query(`update jobs set status = 'running' where turn_id = any($1::uuid[]) and status = 'queued'`, [
      turns,
    ]);
}

// The thread comes along from its newest summary on, without messages that were refused at a gate. The turn in which
// the summary ends comes whole: it may be this one, which must know all of its own items. The newest attempt that left a trace is looked for only when this is not the first.
const CLAIM = `
  update turns set
    runner = $1,
    attempt = attempt_base + job.retry_count,
    status = 'running',
    started_at = coalesce(started_at, now())
  from unnest($2::uuid[], $3::integer[]) as job (id, retry_count)
  where turns.id = job.id
    and turns.status in ('queued', 'running')
    and turns.attempt < attempt_base + job.retry_count
  returning turns.id, thread_id as "threadId", user_id as "userId", seq, status, channel, request, failure, attempt,
    cancel_reason as "cancelReason", created_at as "createdAt", ended_at as "endedAt", handback, trial,
    case when attempt_base + job.retry_count > 0 then (
      select max(items.attempt) from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq
    ) end as progress,
    (select to_json(gate) from (
      select gates.id, thread_id as "threadId", turn_id as "turnId", kind, call from gates
      where gates.thread_id = turns.thread_id and turn_seq < turns.seq
        and (answered_seq is null or answered_seq > turns.seq) limit 1
    ) as gate) as "gateAhead",
    (select to_json(own) from (
      select tokens_per_day as "tokensPerDay", usd_per_day as "usdPerDay" from budgets
      where budgets.user_id = turns.user_id
    ) as own) as limits,
    (select to_json(newest) from (
      select through_seq as "throughSeq", through_position as "throughPosition", summaries.turn_seq as "turnSeq", text
      from summaries where summaries.thread_id = turns.thread_id and summaries.user_id = turns.user_id
      order by through_seq desc, through_position desc limit 1
    ) as newest) as summary,
    (select json_agg(item order by item."turnSeq", item.position) from (
      select items.thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, items.id, items.attempt,
        body, items.usage, items.started_at as "startedAt"
      from items where items.thread_id = turns.thread_id and items.user_id = turns.user_id and turn_seq <= turns.seq
        and turn_seq >= coalesce((
          select max(through_seq) from summaries
          where summaries.thread_id = turns.thread_id and summaries.user_id = turns.user_id), 0)
        and not exists (
          select from turns as other
          where other.refused and other.thread_id = items.thread_id and other.seq = items.turn_seq)
    ) as item) as history`;

type ClaimedRow = Omit<Turn, 'usage'> & {
  readonly handback: number;
  readonly trial: number | null;
  readonly progress: number | null;
  readonly gateAhead: Gate | null;
  readonly summary: Summary | null;
  readonly history: ItemJson[] | null;
  readonly limits: SpendingLimits | null;
};

function toClaimedTurn(row: ClaimedRow, job: JobClaim): ClaimedTurn {
  const { handback, trial, progress, gateAhead, summary, history, limits, ...turn } = row;
  return {
    turn: { ...turn, usage: NO_USAGE },
    job,
    summary,
    limits,
    history: (history ?? []).map(itemFromJson),
    gateAhead,
    suspicion: suspicionOf(turn.attempt, trial ?? -1, Math.max(progress ?? 0, handback)),
  };
}

/** `trial` is the attempt that ran on trial, `good` the newest one that wrote something or was handed back. */
function suspicionOf(attempt: number, trial: number, good: number): Suspicion {
  if (trial > good) return 'poison';
  return attempt - good >= LOST_ATTEMPTS_OF_A_SUSPECT ? 'suspect' : 'none';
}
