import type { EnginePool } from '#engine/engine-connection.ts';

/** How many rows one statement deletes, so that the statement and its locks stay short. */
const PIECE = 5000;

/**
 * Deletes short-lived rows in batches until none is left. The events of a turn expire an hour after it has ended; a running
 * turn keeps all of its events. `retention.ts` deletes what operators may want to keep longer.
 */
export async function forgetOld(pool: EnginePool, isElected: () => boolean): Promise<void> {
  for (const statement of [
    FORGET_EVENTS,
    FORGET_KEYS,
    FORGET_TRIES,
    FORGET_LIMITS,
    FORGET_MARKS,
    FORGET_BLOCKS,
    ...FORGET_WORK,
  ])
    while (isElected() && ((await pool.query(statement, [PIECE])).rowCount ?? 0) >= PIECE);
}

// A subquery for each event: a join may be planned so that it reads all turns.
const FORGET_EVENTS = `
  delete from turn_events where ctid = any (array(
    select old.ctid from turn_events as old
    where created_at < now() - interval '1 hour' and now() - interval '1 hour' > coalesce(
      (select coalesce(ended_at, 'infinity') from turns where turns.id = old.turn_id), '-infinity')
    limit $1))`;

const FORGET_KEYS = `
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at < now() - interval '24 hours' and not is_lasting limit $1))`;

const FORGET_TRIES = `
  delete from request_tries where ctid = any (array(
    select ctid from request_tries where created_at < now() - interval '24 hours' limit $1))`;

const FORGET_LIMITS = `
  delete from rate_windows where ctid = any (array(
    select ctid from rate_windows where expires_at < now() limit $1))`;

// The marks of turns that were never accepted, or were deleted with their thread.
const FORGET_MARKS = `
  delete from unstored_turns where turn_id = any (array(
    select turn_id from unstored_turns where created_at < now() - interval '1 hour'
      and not exists (select from turns where turns.id = turn_id)
    limit $1))`;

const FORGET_BLOCKS = `
  delete from delivery_blocks where account = any (array(
    select account from delivery_blocks where blocked_until < now() limit $1))`;

// Budgets of a day need today's use. A turn that was accepted while its assistant was being deleted is in the table by then.
const FORGET_WORK = [
  `delete from work_days where ctid = any (array(
    select ctid from work_days where day < (now() at time zone 'utc')::date - 1 limit $1))`,
  `delete from assistants where id = any (array(
    select id from assistants where deleted_at < now() - interval '1 hour'
      and not exists (select from turns where turns.assistant = assistants.id)
    limit $1))`,
];
