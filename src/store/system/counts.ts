import type { SystemConnection } from './system-connection.ts';

/** Totals over all replicas and users. */
export type Census = {
  readonly replicas: number;
  readonly queued: number;
  readonly running: number;
  readonly threads: number;
};

const COUNTED = 10_000;

/** A large number of threads is estimated instead of counted, to keep the status cheap. */
export async function takeCensus(system: SystemConnection): Promise<Census> {
  const { rows } = await system.query<Record<keyof Census | 'estimate', string>>(
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

/** The current workload, and how long the oldest turn has waited. Messages behind a gate wait for a person, and don't count there. */
export type TurnCounts = {
  readonly queued: number;
  readonly running: number;
  /** Threads that wait at a gate. */
  readonly waiting: number;
  readonly oldestSeconds: number | null;
  /** How long ago the oldest turn that waits for a place on a replica was accepted. */
  readonly placeSeconds: number | null;
};

export async function countTurns(system: SystemConnection): Promise<TurnCounts> {
  const { rows } = await system.query<TurnCounts>(
    `select count(*) filter (where status = 'queued')::integer as queued,
       count(*) filter (where status = 'running')::integer as running,
       floor(extract(epoch from now() - min(created_at) filter (where status = 'queued' and not exists (
         select from gates where gates.thread_id = turns.thread_id and answered_at is null))))::integer as "oldestSeconds",
       floor(extract(epoch from now() - (select min(ready_at) from turns where ready_at <= now())))::integer as "placeSeconds",
       (select count(*)::integer from gates where answered_at is null) as waiting
     from turns where status in ('queued', 'running')`,
  );
  const [counts] = rows;
  if (!counts) throw new Error('Counting the turns returned nothing.');
  return counts;
}

/** How the turns of the last hour ended. */
export async function countEnded(system: SystemConnection): Promise<Record<string, number>> {
  const { rows } = await system.query<{ status: string; count: number }>(
    `select status, count(*)::integer as count from turns where ended_at > now() - interval '1 hour' group by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The turns that ended within a minute. */
export type MinuteOfTurns = {
  /** When the minute began. */
  readonly at: Date;
  readonly ended: number;
  readonly failed: number;
  /** From accepting a turn to its first attempt, for 95 of 100 turns. null when none was attempted. */
  readonly waitMs: number | null;
  /** From accepting a turn to its end, for 95 of 100 turns. */
  readonly durationMs: number;
};

/** The minutes of the last hour with ended turns, oldest first. */
export async function readLastHour(system: SystemConnection): Promise<MinuteOfTurns[]> {
  const { rows } = await system.query<MinuteOfTurns>(
    `select date_trunc('minute', ended_at) as at, count(*)::integer as ended,
       count(*) filter (where status = 'failed')::integer as failed,
       percentile_disc(0.95) within group (order by round(extract(epoch from started_at - created_at) * 1000))::float8 as "waitMs",
       percentile_disc(0.95) within group (order by round(extract(epoch from ended_at - created_at) * 1000))::float8 as "durationMs"
     from turns where ended_at >= date_trunc('minute', now()) - interval '59 minutes' group by at order by at`,
  );
  return rows;
}
