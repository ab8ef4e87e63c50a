import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { Shares } from '../places.ts';

/**
 * Claims up to `room` waiting turns, first for users who hold the fewest places here, and `orphans`: turns that run here
 * according to the table but are unknown to this process. A new attempt fences out the older one from this moment on.
 */
export async function claimTurns(
  pool: EnginePool,
  self: ReplicaId,
  room: number,
  { most, held }: Shares,
  orphans: readonly TurnId[] = [],
): Promise<TurnId[]> {
  const values = [self, room, orphans, most, [...held.keys()], [...held.values()]];
  const { rows } = await pool.query<{ id: TurnId }>(
    'select claim_turns_with_trees($1, $2, $3, $4, $5, $6, true) as id',
    values,
  );
  return rows.map(({ id }) => id);
}

/** How long a turn rests after an unexpected error, so that a bug doesn't keep a replica busy. */
const REST_SECONDS = 2;

/** Returns a turn whose attempt can't end it, although its process lives: it starts again, and no crash is counted. */
export async function giveBack(
  pool: EnginePool,
  self: ReplicaId,
  { id, attempt }: { readonly id: TurnId; readonly attempt: number },
  isBroken: boolean,
): Promise<void> {
  await pool.query(
    `update turns set runner = null, ready_at = now() + make_interval(secs => $4), handback = attempt + 1, broken = broken + $5
     where id = $1 and attempt = $2 and runner = $3 and status = 'running'`,
    [id, attempt, self, isBroken ? REST_SECONDS : 0, Number(isBroken)],
  );
}

/** Finds active turns that neither run nor wait for a replica, and makes them wait for a replica. */
export async function sweepLostTurns(pool: EnginePool): Promise<number> {
  const { rowCount } = await pool.query(SWEEP);
  return rowCount ?? 0;
}

// A turn is lost if it is its thread's active turn and still queued, but doesn't wait for a replica; or if its thread has no active turn
// and no open gate.
const SWEEP = `
  with idle as (
    select threads.id from threads
    where threads.id in (select thread_id from turns where status = 'queued' and ready_at is null and created_at < now() - interval '5 seconds')
      and (threads.active is null and not exists (
        select from gates where gates.thread_id = threads.id and answered_at is null) or exists (
        select from turns where turns.id = threads.active and status not in ('running') and ready_at is null))
    order by threads.id limit 1000 for no key update skip locked
  ), next as (
    select distinct on (turns.thread_id) turns.id, turns.thread_id from turns join idle on idle.id = turns.thread_id
    where turns.status = 'queued' order by turns.thread_id, turns.seq
  ), passed as (
    update threads set active = next.id from next where threads.id = next.thread_id
  )
  update turns set ready_at = least(turns.created_at, now()) from next where turns.id = next.id and turns.ready_at is null`;
