import type { EnginePool } from './engine-connection.ts';

/** Throws away what has served its time. An hour after a turn has ended its events may go; one that runs keeps all of its. */
export async function forgetOld(pool: EnginePool, keepJobsDays: number): Promise<void> {
  await pool.query(
    `delete from turn_events where ctid = any (array(
       select old.ctid from turn_events as old
       where created_at < now() - interval '1 hour' and not exists (
         select from turns where turns.id = old.turn_id and (ended_at is null or ended_at > now() - interval '1 hour'))
       limit 10000))`,
  );
  await pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours' and not is_lasting`);
  await pool.query(`delete from rate_windows where expires_at < now()`);
  await pool.query(FORGET_JOBS, [keepJobsDays]);
}

// With a job goes its thread, unless the caller has named it in order to go on with it, or another job is still kept.
const FORGET_JOBS = `
  with forgotten as (
    delete from jobs where id = any (array(
      select id from jobs where completed_at < now() - make_interval(days => $1) limit 1000))
    returning id, thread_id
  ), done as (
    delete from threads where id in (select thread_id from forgotten)
      and active is null
      and not exists (select from conversations where conversations.thread_id = threads.id)
      and not exists (
        select from jobs where jobs.thread_id = threads.id and jobs.id not in (select id from forgotten))
    returning id
  )
  delete from items where thread_id in (select id from done)`;
