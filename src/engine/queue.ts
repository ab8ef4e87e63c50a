import { fromKysely, PgBoss } from 'pg-boss';
import type { TurnId } from '#domain/ids.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import type { EnginePool, EngineTransaction } from './engine-connection.ts';

const TURNS = 'turns';

/** A job is only a wake-up with a heartbeat; the turn row is the truth. There is at most one job per thread. */
export type JobClaim = { readonly id: TurnId; readonly retryCount: number };

export type Queue = Awaited<ReturnType<typeof openQueue>>;

export async function openQueue(pool: EnginePool, onError: (error: unknown) => void) {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 5,
    flowIntervalSeconds: 3600,
  });
  boss.on('error', onError);
  await boss.start();
  // `policy` and `partition` can never be changed later.
  await boss.createQueue(TURNS, {
    policy: 'standard',
    partition: true,
    notify: false,
    retryLimit: 1_000_000,
    retryDelay: 0,
    heartbeatSeconds: 15,
    expireInSeconds: 86_400,
    retentionSeconds: 31_536_000,
  });
  const inside = (trx: EngineTransaction) => ({
    executeSql: (text: string, values?: unknown[]) => trx.query(text, values),
  });

  return {
    /** Wakes the dispatchers for a turn that has its thread, in the transaction that gives it the thread. */
    send: async (trx: OwnedTransaction, turnId: TurnId): Promise<void> => {
      await boss.send(TURNS, null, { id: turnId, db: fromKysely(trx.withoutPlugins()) });
    },
    insert: async (trx: EngineTransaction, turnIds: readonly TurnId[]): Promise<void> => {
      if (turnIds.length > 0)
        await boss.insert(
          TURNS,
          turnIds.map((id) => ({ id })),
          { db: inside(trx) },
        );
    },
    fetch: async (trx: EngineTransaction, count: number): Promise<JobClaim[]> =>
      boss.fetch(TURNS, { batchSize: count, db: inside(trx) }),
    delete: async (trx: EngineTransaction, jobs: readonly JobClaim[]): Promise<void> => {
      if (jobs.length > 0) await boss.deleteJob(TURNS, [...jobs], { db: inside(trx) });
    },
    /** Gives jobs back: each will be fetched again, by anyone, as its next attempt. */
    fail: async (trx: EngineTransaction, jobs: readonly JobClaim[]): Promise<void> => {
      if (jobs.length > 0) await boss.fail(TURNS, [...jobs], null, { db: inside(trx) });
    },
    touch: async (jobs: readonly JobClaim[]): Promise<void> => {
      await boss.touch(TURNS, [...jobs]);
    },
    stop: () => boss.stop({ graceful: false, close: false }),
  };
}
