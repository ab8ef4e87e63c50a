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

/** How the turns of the last hour ended. */
export async function countEnded(pool: EnginePool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select status, count(*)::integer as count from turns where ended_at > now() - interval '1 hour' group by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
