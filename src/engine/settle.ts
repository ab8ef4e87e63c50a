import { newId } from '#domain/ids.ts';
import type { TurnOutcome } from '#domain/turn.ts';
import type { Usage } from '#domain/usage.ts';
import type { ClaimedTurn } from './claim.ts';
import { type EnginePool, type EngineTransaction, inTransaction } from './engine-connection.ts';
import type { Queue } from './queue.ts';

export type TurnEnd = { readonly outcome: TurnOutcome; readonly usage: Usage };

type Settling = ClaimedTurn & TurnEnd;
type Waiting = { readonly settling: Settling; readonly done: PromiseWithResolvers<boolean> };

/**
 * The only way a turn ends: it gets its status, its job goes, and its thread passes to the next queued turn, all in one
 * transaction. Turns that end while a transaction is under way share the next one. Resolves to whether the turn was
 * still this attempt's to end, and calls `onNext` when threads were passed on.
 */
export function createSettler(pool: EnginePool, queue: Queue, onNext: () => void) {
  const waiting: Waiting[] = [];
  let busy = false;

  async function flush(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 256);
      try {
        const settled = await inTransaction(pool, (trx) =>
          settleTurns(
            trx,
            queue,
            batch.map((one) => one.settling),
          ),
        );
        for (const { settling, done } of batch) done.resolve(settled.ended.has(settling.turn.id));
        if (settled.next) onNext();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    busy = false;
  }

  return function settle(claimed: ClaimedTurn, end: TurnEnd): Promise<boolean> {
    const done = Promise.withResolvers<boolean>();
    waiting.push({ settling: { ...claimed, ...end }, done });
    if (!busy) {
      busy = true;
      setImmediate(() => void flush()); // whoever ends in this same moment comes along
    }
    return done.promise;
  };
}

async function settleTurns(trx: EngineTransaction, queue: Queue, batch: readonly Settling[]) {
  // A statement of its own: in one with the rest, the snapshot could miss a turn that was queued a moment ago,
  // and its thread would stop.
  const threads = batch.map(({ turn }) => turn.threadId);
  await trx.query('select from threads where id = any($1::uuid[]) order by id for no key update', [threads]);

  const { rows } = await trx.query<{ id: string; next: string | null }>(SETTLE, [
    batch.map(({ turn }) => turn.id),
    batch.map(({ turn }) => turn.attempt),
    batch.map(({ outcome }) => outcome.status),
    batch.map(({ outcome }) => (outcome.status === 'failed' ? JSON.stringify(outcome.failure) : null)),
    batch.map(({ outcome }) => outcome.status === 'failed' && outcome.refused === true),
    batch.map(({ usage }) => JSON.stringify(usage)),
  ]);
  const ended = new Set(rows.map((row) => row.id));
  await openGates(
    trx,
    batch.filter(({ turn }) => ended.has(turn.id)),
  );
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
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::boolean[], $6::text[])
      as settling (id, attempt, status, failure, refused, usage)
    where turns.id = settling.id and turns.attempt = settling.attempt and turns.status = 'running'
    returning turns.id, turns.thread_id, turns.seq
  )
  update threads set active = (
    select queued.id from turns as queued
    where queued.thread_id = threads.id and queued.seq > ended.seq and queued.status = 'queued'
    order by queued.seq limit 1
  )
  from ended where threads.id = ended.thread_id
  returning ended.id, threads.active as next`;

async function openGates(trx: EngineTransaction, ended: readonly Settling[]): Promise<void> {
  for (const { turn, outcome } of ended) {
    if (outcome.status !== 'waiting') continue;
    await trx.query(
      `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call) values ($1, $2, $3, $4, $5, $6, $7)`,
      [newId(), turn.threadId, turn.id, turn.seq, turn.userId, outcome.gate.kind, JSON.stringify(outcome.gate.call)],
    );
  }
}
