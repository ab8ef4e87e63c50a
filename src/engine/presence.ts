import type { ReplicaId } from '#domain/ids.ts';
import { type EnginePool, type EngineTransaction, inTransaction } from './engine-connection.ts';
import { PRESENCE } from './listener.ts';
import type { JobClaim, Queue } from './queue.ts';

/**
 * Gives back the turns of replicas that have died: theirs are the locks that can be had. This only hurries what the
 * jobs' heartbeats would find out anyway, and the fence keeps it safe when it is wrong.
 */
export async function buryDeadReplicas(
  pool: EnginePool,
  queue: Queue,
  self: ReplicaId,
): Promise<{ living: number; buried: number; followed: boolean }> {
  const { rows: peers } = await pool.query<{ followed: boolean }>('select followed from replicas where id <> $1', [
    self,
  ]);
  if (peers.length === 0) return { living: 0, buried: 0, followed: false };
  const followed = peers.some((peer) => peer.followed);
  return inTransaction(pool, async (trx) => {
    const { rows: dead } = await trx.query<{ id: ReplicaId }>(
      'select id from replicas where id <> $1 and pg_try_advisory_xact_lock($2, lock_key::integer)',
      [self, PRESENCE],
    );
    for (const { id } of dead) {
      await queue.fail(trx, await runningJobs(trx, id));
      await trx.query('delete from replicas where id = $1', [id]);
    }
    return { living: peers.length - dead.length, buried: dead.length, followed };
  });
}

/** Leaves in good order: unfinished turns go back at once, and this interruption doesn't count against them. */
export async function handBack(trx: EngineTransaction, queue: Queue, self: ReplicaId): Promise<number> {
  await trx.query(`update turns set handback = attempt + 1 where status = 'running' and runner = $1`, [self]);
  const jobs = await runningJobs(trx, self);
  await queue.fail(trx, jobs);
  await trx.query('delete from replicas where id = $1', [self]);
  return jobs.length;
}

/** The jobs of the turns that `runner` has claimed and not ended. */
export async function runningJobs(trx: EngineTransaction, runner: ReplicaId): Promise<JobClaim[]> {
  const { rows } = await trx.query<JobClaim>(
    `select id, attempt - attempt_base as "retryCount" from turns where status = 'running' and runner = $1`,
    [runner],
  );
  return rows;
}
