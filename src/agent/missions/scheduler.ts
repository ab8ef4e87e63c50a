import type { Engine } from '#engine/engine.ts';
import { repeat } from '#engine/repeat.ts';
import type { Database } from '#store/connection.ts';
import {
  type Advance,
  advanceMissions,
  type DueMission,
  findDueMissions,
  findOutdatedMissions,
  findWork,
  rescheduleMissions,
} from '#store/system/missions.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { nextSlot } from './due-times.ts';
import { followRuns } from './follow-runs.ts';
import { planSlots } from './plan-slots.ts';
import { startRuns } from './start-runs.ts';

export type SchedulerPace = {
  /** How often to poll even though the engine has not reported any due mission. */
  readonly pollEveryMs: number;
  /** How many runs one replica starts in one poll. */
  readonly startsPerPoll: number;
  /** How many runs of one user may be active at a time. */
  readonly runsPerUser: number;
};

const PACE: SchedulerPace = { pollEveryMs: 30_000, startsPerPoll: 50, runsPerUser: 5 };
/** How many missions one statement moves. */
const BATCH = 200;

/**
 * Runs missions on time. The two oldest replicas poll when something is due, and every replica polls now and then: rows and
 * their keys decide, so it does not matter which one is first. All times come from the database; the clock of a replica
 * only paces its polls.
 */
export function startScheduler(options: {
  readonly db: Database;
  readonly engine: Engine;
  readonly pace?: Partial<SchedulerPace> | undefined;
  readonly onError: (error: unknown) => void;
}) {
  const { db, engine } = options;
  const pace = { ...PACE, ...options.pace };
  let isCurrent = false; // whether due times were computed with the time zone data of this process

  async function poll(): Promise<void> {
    if (!isCurrent) await rescheduleAll(engine.system);
    isCurrent = true;
    const work = await findWork(engine.system);
    if (work.hasStartedRuns) await followRuns(engine.system);
    if (work.isDrained) return;
    if (work.hasDueMissions) await createOccurrences(engine.system);
    if (work.hasDueMissions || work.hasDueRuns) await startRuns(db, engine, pace);
  }
  const polling = repeat(pace.pollEveryMs, poll, options.onError);
  engine.followDue('missions', polling.runNow);
  return polling;
}

/** Writes an occurrence for every due time that has passed. */
export async function createOccurrences(system: SystemConnection): Promise<void> {
  for (;;) {
    const due = await findDueMissions(system, BATCH);
    if (due.length === 0) return;
    const moved = await advanceMissions(system, due.map(planAdvance));
    if (moved === 0) return; // other replicas are at these
  }
}

function planAdvance(mission: DueMission): Advance {
  const { id, revision, firstSlot } = mission;
  try {
    const { slots, next } = planSlots(mission, firstSlot, mission.now);
    const isBroken = next !== null && next <= firstSlot; // would never come to an end
    return { id, revision, firstSlot, slots, next: isBroken ? null : next, isBroken };
  } catch {
    return { id, revision, firstSlot, slots: [], next: null, isBroken: true };
  }
}

/** Time zone rules change with the version of Node, so future due times are computed again. */
async function rescheduleAll(system: SystemConnection): Promise<void> {
  for (;;) {
    const outdated = await findOutdatedMissions(system, TZ_VERSION, BATCH);
    if (outdated.length === 0) return;
    await rescheduleMissions(
      system,
      TZ_VERSION,
      outdated.map(({ id, revision, schedule, nextDueAt, now }) => {
        const next = nextDueAt > now ? nextSlot(schedule, now) : null;
        return { id, revision, next: next ?? nextDueAt };
      }),
    );
  }
}

export const TZ_VERSION = process.versions['tz'] ?? 'unknown';
