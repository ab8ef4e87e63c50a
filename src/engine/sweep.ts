import { type EnginePool, inTransaction } from './engine-connection.ts';
import type { Queue } from './queue.ts';

/**
 * Sends again for a thread's active turn that has no job, however it was lost. The new job counts its tries from 0,
 * so the turn's attempts go on from a new base.
 */
export async function sweepLostTurns(pool: EnginePool, queue: Queue): Promise<number> {
  return inTransaction(pool, async (trx) => {
    const { rows } = await trx.query<{ id: string }>(`
      update turns set attempt_base = attempt + 1
      where status in ('queued', 'running')
        and exists (select from threads where threads.id = turns.thread_id and threads.active = turns.id)
        and not exists (select from pgboss.job where job.name = 'turns' and job.id = turns.id)
      returning id`);
    await queue.insert(
      trx,
      rows.map((row) => row.id),
    );
    return rows.length;
  });
}
