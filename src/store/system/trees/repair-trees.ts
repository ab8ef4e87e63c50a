import type { TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from '../system-connection.ts';

/** Lets the run continue that waits for this child, if it waits for no other. Returns whether it does. */
export async function wakeParentOf(system: SystemConnection, childRun: TurnId): Promise<boolean> {
  const { rows } = await system.query<{ woken: boolean }>(
    `select wake_parent(threads.active) as woken from delegations join threads on threads.id = delegations.thread_id
     where child_run = $1 and active is not null`,
    [childRun],
  );
  return rows[0]?.woken ?? false;
}

/** Lets this turn continue, if it is parked and is being cancelled. */
export async function wakeTurn(system: SystemConnection, turnId: TurnId): Promise<boolean> {
  const { rows } = await system.query<{ woken: boolean }>('select wake_parent($1) as woken', [turnId]);
  return rows[0]?.woken ?? false;
}

/**
 * What a process has left undone that died: lets all turns continue that have nothing to wait for, and finds the runs that have ended or
 * are being cancelled and have children that continue. One statement, which every installation sends every few seconds. A turn that is
 * locked is left to the next one: `wake_parent` would wait for it, with all others locked.
 */
export async function repairTrees(
  system: SystemConnection,
): Promise<{ woken: number; abandoning: readonly { run: TurnId; userId: UserId }[] }> {
  const { rows } = await system.query<{ woken: number; abandoning: { run: TurnId; userId: UserId }[] }>(REPAIR);
  return rows[0] ?? { woken: 0, abandoning: [] };
}

const REPAIR = `
  with parked as materialized (
    select id from turns where ready_at = 'infinity' and status = 'running' and tree is not null
      and (cancel_reason is not null or not exists (
        select from delegations where delegations.run = coalesce(turns.run, turns.id) and state <> 'ended'))
    limit 1000 for no key update skip locked
  ), abandoned as (
    select distinct delegations.run, delegations.user_id as "userId" from delegations
    where state <> 'ended' and not exists (
      select from turns where (turns.id = delegations.run or turns.run = delegations.run)
        and (turns.status in ('queued', 'running') and turns.cancel_reason is null
          or turns.status = 'waiting' and exists (
            select from gates where gates.turn_id = turns.id and answered_at is null)))
    limit 1000
  )
  select (select count(*) filter (where wake_parent(id))::integer from parked) as woken,
    (select coalesce(json_agg(abandoned), '[]') from abandoned) as abandoning`;
