import type { EnginePool } from './engine-connection.ts';

/** How many there are of everything, over all replicas and users. */
export type Census = {
  readonly replicas: number;
  readonly queued: number;
  readonly running: number;
  readonly threads: number;
};

const COUNTED = 10_000;

/** Many threads are not counted but estimated: a status must stay cheap. */
export async function takeCensus(pool: EnginePool): Promise<Census> {
  const { rows } = await pool.query<Record<keyof Census | 'estimate', string>>(
    `select (select count(*) from replicas) as replicas,
       (select count(*) from turns where status = 'queued') as queued,
       (select count(*) from turns where status = 'running') as running,
       (select count(*) from (select from threads limit ${COUNTED}) as counted) as threads,
       (select reltuples::bigint from pg_class where oid = 'threads'::regclass) as estimate`,
  );
  const [row] = rows;
  const count = (name: keyof Census | 'estimate') => Number(row?.[name] ?? 0);
  const threads = count('threads') < COUNTED ? count('threads') : Math.max(COUNTED, count('estimate'));
  return { replicas: count('replicas'), queued: count('queued'), running: count('running'), threads };
}
