import type { MissionId } from '#domain/ids.ts';
import type { Mission } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import type { SystemConnection } from './system-connection.ts';

/** What a look has to do; most of the time, nothing. */
export type SchedulerWork = {
  readonly hasDueMissions: boolean;
  readonly hasDueRuns: boolean;
  readonly hasStartedRuns: boolean;
  /** No run may start. */
  readonly isDrained: boolean;
};

/** The setting that exists during a drain. */
export const MISSION_DRAIN = 'mission_drain';

/** One statement, so that an idle replica costs the database very little. */
export async function findWork(system: SystemConnection): Promise<SchedulerWork> {
  const { rows } = await system.query<SchedulerWork>(FIND_WORK);
  const [work] = rows;
  if (!work) throw new Error('Looking for due missions returned nothing.');
  return work;
}

const FIND_WORK = `
  select exists (select from missions where next_due_at <= now()) as "hasDueMissions",
    exists (select from occurrences where state = 'due' and due_at <= now()) as "hasDueRuns",
    exists (select from occurrences where state = 'started') as "hasStartedRuns",
    exists (select from settings where name = '${MISSION_DRAIN}') as "isDrained"`;

/** A mission whose next due time has passed, and the time of the database. */
export type DueMission = Pick<Mission, 'id' | 'misfire' | 'revision'> & {
  readonly schedule: Schedule;
  readonly firstSlot: Date;
  readonly now: Date;
};

/** Oldest first. Takes no lock: `advanceMissions` moves a mission only from the state that was read here. */
export async function findDueMissions(system: SystemConnection, limit: number): Promise<DueMission[]> {
  const { rows } = await system.query<DueMission>(FIND_DUE, [limit]);
  return rows;
}

const FIND_DUE = `
  select id, schedule, misfire, revision, next_due_at as "firstSlot", now() as now
  from missions where next_due_at <= now() order by next_due_at limit $1`;

/** What the scan decided for one mission. `broken`: its schedule can't be computed. */
export type Advance = Pick<DueMission, 'id' | 'revision' | 'firstSlot'> & {
  readonly next: Date | null;
  readonly isBroken: boolean;
  readonly slots: readonly {
    readonly slot: Date;
    readonly state: 'due' | 'missed';
    readonly reason: string | null;
    readonly dueAt: Date;
    readonly isLate: boolean;
  }[];
};

/**
 * Writes the occurrences of missions and moves each to its next due time, in one statement. A mission that another replica
 * has moved or its owner has changed is left alone. Returns how many were moved.
 */
export async function advanceMissions(system: SystemConnection, advances: readonly Advance[]): Promise<number> {
  const slots = advances.flatMap(({ id, slots: planned }) => planned.map((slot) => ({ id, ...slot })));
  const { rowCount } = await system.query(ADVANCE, [
    advances.map(({ id }) => id),
    advances.map(({ revision }) => revision),
    advances.map(({ firstSlot }) => firstSlot),
    advances.map(({ next }) => next),
    advances.map(({ isBroken }) => isBroken),
    slots.map(({ id }) => id),
    slots.map(({ slot }) => slot),
    slots.map(({ state }) => state),
    slots.map(({ reason }) => reason),
    slots.map(({ dueAt }) => dueAt),
    slots.map(({ isLate }) => isLate),
  ]);
  return rowCount ?? 0;
}

// A locked row is skipped, and a row that was changed meanwhile is compared again: the slowest of two replicas moves nothing.
const ADVANCE = `
  with held as (
    select missions.id, missions.user_id, missions.revision, given.next, given.broken
    from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::boolean[]) as given (id, revision, was, next, broken)
    join missions on missions.id = given.id and missions.revision = given.revision and missions.next_due_at = given.was
    order by missions.id for no key update of missions skip locked
  ), made as (
    insert into occurrences (mission_id, slot, user_id, kind, state, reason, revision, due_at, is_late, ended_at)
    select held.id, s.slot, held.user_id, 'scheduled', s.state, s.reason, held.revision, s.due_at, s.is_late,
      case when s.state = 'missed' then now() end
    from unnest($6::uuid[], $7::timestamptz[], $8::text[], $9::text[], $10::timestamptz[], $11::boolean[])
      as s (id, slot, state, reason, due_at, is_late)
    join held on held.id = s.id on conflict do nothing
  )
  update missions set next_due_at = held.next,
    state = case when held.broken then 'paused' when held.next is null then 'ended' else 'active' end,
    pause_reason = case when held.broken then 'broken_schedule' end
  from held where missions.id = held.id`;

/** Scheduled missions whose next due time was computed with other time zone data. */
export async function findOutdatedMissions(
  system: SystemConnection,
  tzVersion: string,
  limit: number,
): Promise<(Pick<Mission, 'id' | 'revision'> & { schedule: Schedule; now: Date; nextDueAt: Date })[]> {
  const { rows } = await system.query<{
    id: MissionId;
    revision: number;
    schedule: Schedule;
    now: Date;
    nextDueAt: Date;
  }>(
    // Two ranges, because an index can't serve "other than".
    `select id, revision, schedule, next_due_at as "nextDueAt", now() as now from missions
     where (tz_version < $1 or tz_version > $1) and next_due_at is not null limit $2`,
    [tzVersion, limit],
  );
  return rows;
}

/** Sets the next due time again. A due time that has passed stays: it is planned by the scan. */
export async function rescheduleMissions(
  system: SystemConnection,
  tzVersion: string,
  missions: readonly { readonly id: MissionId; readonly revision: number; readonly next: Date }[],
): Promise<void> {
  await system.query(
    `update missions set tz_version = $1, next_due_at = case when next_due_at > now() then given.next else next_due_at end
     from unnest($2::uuid[], $3::integer[], $4::timestamptz[]) as given (id, revision, next)
     where missions.id = given.id and missions.revision = given.revision and next_due_at is not null`,
    [
      tzVersion,
      missions.map(({ id }) => id),
      missions.map(({ revision }) => revision),
      missions.map(({ next }) => next),
    ],
  );
}
