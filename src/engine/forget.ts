import type { EnginePool } from './engine-connection.ts';

/** Throws away what has served its time. An hour after a turn has ended its events may go; one that runs keeps all of its. */
export async function forgetOld(pool: EnginePool): Promise<void> {
  await pool.query(
    `delete from turn_events where ctid = any (array(
       select old.ctid from turn_events as old
       where created_at < now() - interval '1 hour' and not exists (
         select from turns where turns.id = old.turn_id and (ended_at is null or ended_at > now() - interval '1 hour'))
       limit 10000))`,
  );
  await pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`);
  await pool.query(`delete from rate_limits where resets_at < now() - interval '1 minute'`);
}
