import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type MissionId, newId, type ThreadId } from '#domain/ids.ts';
import { MAX_MISSIONS, type Mission, type MissionSettings } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import type { Principal } from '#domain/principal.ts';
import { NO_BUDGETS } from '#domain/work/work-settings.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import {
  countMissions,
  deleteMission,
  findMission,
  insertMission,
  listMissions,
  lockMission,
  readNow,
  updateMission,
} from '#store/missions/missions.ts';
import {
  insertManualOccurrence,
  insertSkippedOccurrence,
  type ListedOccurrence,
  listLastOccurrences,
  listOccurrences,
} from '#store/missions/occurrences.ts';
import { type AskedSchedule, checkSchedule } from './check-schedule.ts';
import { nextSlot, nextSlots } from './due-times.ts';
import { TZ_VERSION } from './scheduler.ts';

export type Missions = ReturnType<typeof createMissions>;
export type { ListedOccurrence };

type Owner = Pick<Principal, 'userId'>;

/** The settings of a mission as its owner asks for them; those that are left out have a default, or stay as they are. */
export type AskedMission = Partial<Omit<MissionSettings, 'schedule'>> & { readonly schedule?: AskedSchedule };

/** A mission, and its newest occurrence. */
export type MissionListing = { readonly mission: Mission; readonly last: ListedOccurrence | null };

const DEFAULTS = {
  keepsThread: true,
  tools: null,
  ...NO_BUDGETS,
  misfire: 'latest',
  overlap: 'skip',
  pauseAfter: 5,
} as const satisfies Omit<MissionSettings, 'name' | 'instruction' | 'schedule'>;

/** The missions of their owners. Missing and foreign missions both throw `NotFound`. */
export function createMissions(db: Database) {
  const runFollowers: (() => void)[] = [];
  const change = (owner: Owner, id: MissionId, act: (mission: Mission, now: Date) => Mission): Promise<Mission> =>
    withOwner(db, owner, (trx) => changeMission(trx, owner, id, act));

  return {
    /** All, or those that run in a thread. */
    list: (owner: Owner, threadId?: ThreadId): Promise<MissionListing[]> =>
      withOwner(db, owner, async (trx) => {
        const last = new Map((await listLastOccurrences(trx, owner)).map((run) => [run.missionId, run]));
        return (await listMissions(trx, owner, threadId)).map((mission) => ({
          mission,
          last: last.get(mission.id) ?? null,
        }));
      }),

    get: (owner: Owner, id: MissionId): Promise<Mission> =>
      withOwner(db, owner, async (trx) => (await findMission(trx, owner, id)) ?? missing()),

    /** Its runs and missed due times, newest first. */
    occurrences: (
      owner: Owner,
      id: MissionId,
      page: { readonly before: Date | undefined; readonly limit: number },
    ): Promise<ListedOccurrence[]> =>
      withOwner(db, owner, async (trx) => {
        if (!(await findMission(trx, owner, id))) missing();
        return listOccurrences(trx, owner, id, page);
      }),

    /** A schedule that was asked for, and its next due times. */
    preview: (owner: Owner, asked: AskedSchedule, count = 5): Promise<{ schedule: Schedule; next: Date[] }> =>
      withOwner(db, owner, async (trx) => {
        const now = await readNow(trx);
        const schedule = checkSchedule(owner, asked, now);
        return { schedule, next: nextSlots(schedule, now, count) };
      }),

    create: (owner: Owner, asked: AskedMission): Promise<Mission> =>
      withOwner(db, owner, (trx) => createMission(trx, owner, asked)),

    /** The next due time is computed from now, so a due time of the old schedule is never used again. */
    update: (owner: Owner, id: MissionId, asked: AskedMission): Promise<Mission> =>
      change(owner, id, (mission, now) => {
        const schedule = asked.schedule ? checkSchedule(owner, asked.schedule, now) : mission.schedule;
        const isRestarted = asked.schedule !== undefined && mission.state === 'ended';
        return { ...mission, ...given(asked), schedule, state: isRestarted ? 'active' : mission.state };
      }),

    pause: (owner: Owner, id: MissionId): Promise<Mission> =>
      change(owner, id, (mission) =>
        mission.state === 'active' ? { ...mission, state: 'paused', pauseReason: 'paused_by_user' } : mission,
      ),

    /** Due times that passed during the pause are not caught up. */
    resume: (owner: Owner, id: MissionId): Promise<Mission> =>
      change(owner, id, (mission) => ({ ...mission, state: 'active', pauseReason: null })),

    /** Starts a run now, besides the schedule. */
    run: async (owner: Owner, id: MissionId, requestKey: string): Promise<ListedOccurrence> => {
      const occurrence = await withOwner(db, owner, async (trx) => {
        const mission = (await lockMission(trx, owner, id)) ?? missing();
        return insertManualOccurrence(trx, owner, mission, requestKey);
      });
      for (const follow of runFollowers) follow();
      return occurrence;
    },

    /** Calls `follow` when this process was asked for a run. */
    followRequestedRuns: (follow: () => void): void => void runFollowers.push(follow),

    /** Deletes its occurrences too. A run that is under way continues, and the threads stay. */
    delete: (owner: Owner, id: MissionId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        if (!(await deleteMission(trx, owner, id))) missing();
      }),
  };
}

async function createMission(trx: OwnedTransaction, owner: Owner, asked: AskedMission): Promise<Mission> {
  const now = await readNow(trx);
  const { name, instruction } = asked;
  if (name === undefined || instruction === undefined)
    throw new InvalidRequest(
      'invalid_request',
      name === undefined ? 'name' : 'instruction',
      'A mission needs a name and an instruction.',
    );
  const schedule = checkSchedule(owner, asked.schedule ?? {}, now);
  if ((await countMissions(trx, owner)) >= MAX_MISSIONS)
    throw new InvalidRequest(
      'invalid_request',
      null,
      `You have ${MAX_MISSIONS} missions, the most that a user can have. Delete one first.`,
    );
  const id = newId<MissionId>();
  const due = { nextDueAt: nextSlot(schedule, now), tzVersion: TZ_VERSION };
  await insertMission(trx, owner, { ...DEFAULTS, ...given(asked), name, instruction, schedule, ...due, id });
  return (await findMission(trx, owner, id)) ?? missing();
}

async function changeMission(
  trx: OwnedTransaction,
  owner: Owner,
  id: MissionId,
  act: (mission: Mission, now: Date) => Mission,
): Promise<Mission> {
  const mission = (await lockMission(trx, owner, id)) ?? missing();
  const now = await readNow(trx);
  const changed = act(mission, now);
  const isSame = changed.state === mission.state && changed.schedule === mission.schedule;
  if (!isSame && mission.nextDueAt && mission.nextDueAt <= now)
    await insertSkippedOccurrence(trx, owner, mission, mission.nextDueAt);
  const next = isSame ? mission.nextDueAt : nextDue(changed, now);
  const isOver = changed.state === 'active' && !next && changed.schedule.kind !== 'event';
  const state = isOver ? 'ended' : changed.state;
  await updateMission(trx, owner, id, { ...changed, state, nextDueAt: next, tzVersion: TZ_VERSION });
  return (await findMission(trx, owner, id)) ?? missing();
}

const nextDue = ({ state, schedule }: Mission, now: Date) => (state === 'active' ? nextSlot(schedule, now) : null);

/** The settings that were given, without the schedule. */
function given({ schedule: _, ...asked }: AskedMission): Partial<Omit<MissionSettings, 'schedule'>> {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

function missing(): never {
  throw new NotFound('This mission does not exist.');
}
