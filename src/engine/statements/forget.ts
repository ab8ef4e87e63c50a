import type { EnginePool } from '../engine-connection.ts';

/** How many rows one statement deletes, so that the statement and its locks stay short. */
const PIECE = 5000;

/**
 * Deletes expired rows in batches until none is left. The events of a turn expire an hour after it has ended; a running
 * turn keeps all of its events.
 */
export async function forgetOld(pool: EnginePool, keepJobsDays: number): Promise<void> {
  for (const statement of [FORGET_EVENTS, FORGET_KEYS, FORGET_LIMITS, FORGET_MARKS])
    await repeatedly(() => pool.query(statement, [PIECE]));
  await repeatedly(() => pool.query(FORGET_JOBS, [PIECE, keepJobsDays]));
  await repeatedly(() => pool.query(FORGET_OCCURRENCES, [PIECE]));
}

async function repeatedly(forget: () => Promise<{ rowCount: number | null }>): Promise<void> {
  for (;;) if (((await forget()).rowCount ?? 0) < PIECE) return;
}

const FORGET_EVENTS = `
  delete from turn_events where ctid = any (array(
    select old.ctid from turn_events as old
    where created_at < now() - interval '1 hour' and not exists (
      select from turns where turns.id = old.turn_id and (ended_at is null or ended_at > now() - interval '1 hour'))
    limit $1))`;

const FORGET_KEYS = `
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at < now() - interval '24 hours' and not is_lasting limit $1))`;

const FORGET_LIMITS = `
  delete from rate_windows where ctid = any (array(
    select ctid from rate_windows where expires_at < now() limit $1))`;

// The marks of turns that were never accepted, or were deleted with their thread.
const FORGET_MARKS = `
  delete from unstored_turns where turn_id = any (array(
    select turn_id from unstored_turns where created_at < now() - interval '1 hour'
      and not exists (select from turns where turns.id = turn_id)
    limit $1))`;

// The key that made a start unique (`keyPrefixOf` in the domain) is not needed any more: an ended occurrence never starts.
const FORGET_OCCURRENCES = `
  with forgotten as (
    delete from occurrences where (mission_id, slot) in (
      select mission_id, slot from occurrences where ended_at < now() - interval '90 days' limit $1)
    returning mission_id, slot, user_id
  ), released as (
    delete from idempotency_keys using forgotten where idempotency_keys.user_id = forgotten.user_id
      and key = 'mission:' || mission_id || ':' || (extract(epoch from slot) * 1000)::bigint
  )
  select from forgotten`;

// A job's thread is deleted with it, unless the caller named the thread in order to continue it, or another of its jobs is still kept.
const FORGET_JOBS = `
  with forgotten as (
    delete from jobs where id = any (array(
      select id from jobs where completed_at < now() - make_interval(days => $2) limit $1))
    returning id, thread_id
  ), done as (
    delete from threads where id in (select thread_id from forgotten)
      and active is null
      and not exists (select from conversations where conversations.thread_id = threads.id)
      and not exists (
        select from jobs where jobs.thread_id = threads.id and jobs.id not in (select id from forgotten))
    returning id
  ), emptied as (
    delete from items where thread_id in (select id from done)
  )
  select from forgotten`;
