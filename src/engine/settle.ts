import { CANCELLED_JOB } from '#domain/job.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { TurnOutcome } from '#domain/turn.ts';
import type { TurnEnding } from '#domain/turn-event.ts';
import type { Usage } from '#domain/usage.ts';
import type { ClaimedTurn } from './claim.ts';
import { type EnginePool, type EngineTransaction, inTransaction } from './engine-connection.ts';
import { callParameters, countCalls, unnestCalls } from './ledger.ts';
import type { Queue } from './queue.ts';

/** `failedCalls`: those that made nothing which could be written, and are still to be counted. */
export type TurnEnd = {
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  readonly failedCalls: readonly ModelCall[];
};

/** A turn that is to end, and how. */
export type Settling = ClaimedTurn & TurnEnd;

/**
 * The only way a turn ends: it gets its status, and with it the job of a webhook caller, its wake-up goes, and its thread passes to the next queued turn, all in one
 * transaction. Answers for each how it ended; undefined if it was no longer this attempt's to end.
 */
export async function settleTurns(
  pool: EnginePool,
  queue: Queue,
  batch: readonly Settling[],
  onNext: () => void,
): Promise<(TurnEnding | undefined)[]> {
  const { ended, next } = await inTransaction(pool, (trx) => settleInside(trx, queue, batch));
  if (next) onNext();
  return batch.map(({ turn, outcome, usage }) => {
    const endedAt = ended.get(turn.id);
    return endedAt && { ...endingOf(outcome), usage, endedAt: endedAt.toISOString() };
  });
}

async function settleInside(trx: EngineTransaction, queue: Queue, batch: readonly Settling[]) {
  // A statement of its own: in one with the rest, the snapshot could miss a turn that was queued a moment ago,
  // and its thread would stop.
  const threads = batch.map(({ turn }) => turn.threadId);
  await trx.query('select from threads where id = any($1::uuid[]) order by id for no key update', [threads]);

  const { rows } = await trx.query<{ id: string; next: string | null; endedAt: Date }>(SETTLE, [
    batch.map(({ turn }) => turn.id),
    batch.map(({ turn }) => turn.attempt),
    batch.map(({ outcome }) => outcome.status),
    batch.map(({ outcome }) => (outcome.status === 'failed' ? JSON.stringify(outcome.failure) : null)),
    batch.map(({ outcome }) => outcome.status === 'failed' && outcome.refused === true),
    batch.map(({ usage }) => JSON.stringify(usage)),
    batch.map(({ outcome }) => (outcome.status === 'waiting' ? outcome.gate.kind : null)),
    JSON.stringify(CANCELLED_JOB),
  ]);
  const ended = new Map(rows.map((row) => [row.id, row.endedAt]));
  const settled = batch.filter(({ turn }) => ended.has(turn.id));
  await openGates(trx, settled);
  await countFailedCalls(trx, settled);
  await queue.delete(
    trx,
    batch.map(({ job }) => job),
  );
  const next = rows.flatMap((row) => row.next ?? []);
  await queue.insert(trx, next);
  return { ended, next: next.length > 0 };
}

const SETTLE = `
  with ended as (
    update turns set status = settling.status, failure = settling.failure::json, refused = settling.refused,
      usage = settling.usage::json, runner = null, ended_at = now()
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[])
      as settling (id, attempt, status, failure, refused, usage, gate)
    where turns.id = settling.id and turns.attempt = settling.attempt and turns.status = 'running'
    returning turns.id, turns.thread_id, turns.seq, turns.ended_at, turns.status, turns.failure, settling.gate
  ), followed as (
    update jobs set waiting_on = ended.gate,
      status = case when ended.gate is null then 'completed' else jobs.status end,
      failure = case when ended.status = 'cancelled' then $8::json else ended.failure end,
      completed_at = case when ended.gate is null then ended.ended_at end,
      callback_due_at = case when ended.gate is null and callback_url is not null then ended.ended_at end
    from ended where jobs.turn_id = ended.id
  )
  update threads set active = (
    select queued.id from turns as queued
    where queued.thread_id = threads.id and queued.seq > ended.seq and queued.status = 'queued'
    order by queued.seq limit 1
  )
  from ended where threads.id = ended.thread_id
  returning ended.id, threads.active as next, ended.ended_at as "endedAt"`;

function endingOf(outcome: TurnOutcome) {
  return {
    status: outcome.status,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    gate: outcome.status === 'waiting' ? outcome.gate : null,
  };
}

async function openGates(trx: EngineTransaction, ended: readonly Settling[]): Promise<void> {
  for (const { turn, outcome } of ended) {
    if (outcome.status !== 'waiting') continue;
    const { id, kind, call, revision = null } = outcome.gate;
    await trx.query(
      `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, revision)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, turn.threadId, turn.id, turn.seq, turn.userId, kind, JSON.stringify(call), revision],
    );
  }
}

async function countFailedCalls(trx: EngineTransaction, ended: readonly Settling[]): Promise<void> {
  const calls = ended.flatMap(({ turn, failedCalls }) => failedCalls.map((call) => ({ turnId: turn.id, call })));
  if (calls.length > 0) await trx.query(COUNT_FAILED, callParameters(calls));
}

const COUNT_FAILED = countCalls(
  unnestCalls(1),
  '(select id, user_id, 0 as part from turns where id = any($1::uuid[]))',
);
