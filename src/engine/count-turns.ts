import type { EnginePool } from './engine-connection.ts';

/** What there is to do now, and how long the longest has waited for it. */
export type TurnCounts = {
  readonly queued: number;
  readonly running: number;
  /** Threads at a gate. */
  readonly waiting: number;
  readonly oldestSeconds: number | null;
};

export async function countTurns(pool: EnginePool): Promise<TurnCounts> {
  const { rows } = await pool.query<TurnCounts>(
    `select count(*) filter (where status = 'queued')::integer as queued,
       count(*) filter (where status = 'running')::integer as running,
       floor(extract(epoch from now() - min(created_at) filter (where status = 'queued')))::integer as "oldestSeconds",
       (select count(*)::integer from gates where answered_at is null) as waiting
     from turns where status in ('queued', 'running')`,
  );
  const [counts] = rows;
  if (!counts) throw new Error('Counting the turns returned nothing.');
  return counts;
}
