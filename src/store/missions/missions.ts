import { sql } from 'kysely';
import type { MissionId, ThreadId } from '#domain/ids.ts';
import { keyPrefixOf, type Mission, type MissionSettings } from '#domain/mission/mission.ts';
import type { UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import type { IdentityTransaction } from '../identity-connection.ts';

/** When a mission is due next, and the version of the time zone data that says so. */
export type NextDue = { readonly nextDueAt: Date | null; readonly tzVersion: string };

/** The time of the database, which all due times are compared with. */
export async function readNow(trx: OwnedTransaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error('Reading the time returned nothing.');
  return row.now;
}

export async function insertMission(
  trx: OwnedTransaction,
  owner: Owner,
  mission: MissionSettings & NextDue & { readonly id: MissionId },
): Promise<void> {
  await trx
    .insertInto('missions')
    .values({ ...toRow(mission), id: mission.id, userId: owner.userId })
    .execute();
}

/** By id, newest first. */
export async function listMissions(trx: OwnedTransaction, owner: Owner, threadId?: ThreadId): Promise<Mission[]> {
  return trx
    .selectFrom('missions')
    .select(columns)
    .where('userId', '=', owner.userId)
    .$if(threadId !== undefined, (query) => query.where('id', 'in', runsIn(trx, threadId as ThreadId)))
    .orderBy('id', 'desc')
    .execute();
}

const runsIn = (trx: OwnedTransaction, threadId: ThreadId) =>
  trx.selectFrom('occurrences').select('missionId').where('threadId', '=', threadId);

export async function countMissions(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const { count } = await trx
    .selectFrom('missions')
    .select((query) => query.fn.countAll<string>().as('count'))
    .where('userId', '=', owner.userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findMission(trx: OwnedTransaction, owner: Owner, id: MissionId): Promise<Mission | undefined> {
  return trx
    .selectFrom('missions')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** Holds the mission until the transaction ends, so that the scheduler does not move it meanwhile. */
export function lockMission(trx: OwnedTransaction, owner: Owner, id: MissionId): Promise<Mission | undefined> {
  return trx
    .selectFrom('missions')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Replaces the settings of a locked mission. Its failures are forgotten: the change may have fixed them. */
export async function updateMission(
  trx: OwnedTransaction,
  owner: Owner,
  id: MissionId,
  changed: MissionSettings & NextDue & Pick<Mission, 'state' | 'pauseReason'>,
): Promise<void> {
  await trx
    .updateTable('missions')
    .set({ ...toRow(changed), state: changed.state, pauseReason: changed.pauseReason, failures: 0 })
    .set((row) => ({ revision: row('revision', '+', 1), updatedAt: sql<Date>`now()` }))
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Deletes its occurrences too, and the keys that started their turns. Returns whether there was one. */
export async function deleteMission(trx: OwnedTransaction, owner: Owner, id: MissionId): Promise<boolean> {
  await trx
    .deleteFrom('idempotencyKeys')
    .where('userId', '=', owner.userId)
    .where(sql<boolean>`starts_with(key, ${keyPrefixOf(id)})`)
    .execute();
  const { numDeletedRows } = await trx
    .deleteFrom('missions')
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends all missions of a user who is removed. */
export async function endMissionsOf(trx: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await trx
    .updateTable('missions')
    .set({ state: 'ended', pauseReason: 'user_removed', nextDueAt: null })
    .where('userId', '=', userId)
    .execute();
}

function toRow(mission: MissionSettings & NextDue) {
  const { schedule, tools } = mission;
  const plain = Object.fromEntries(PLAIN.map((name) => [name, mission[name]])) as Pick<
    typeof mission,
    (typeof PLAIN)[number]
  >;
  return {
    ...plain,
    schedule: JSON.stringify(schedule),
    eventUserId: schedule.kind === 'event' ? schedule.userId : null,
    tools: tools && [...tools],
    nextDueAt: mission.nextDueAt,
    tzVersion: mission.tzVersion,
  };
}

/** The settings that are stored as they are. */
const PLAIN = [
  'name',
  'instruction',
  'assistant',
  'keepsThread',
  'tokensPerRun',
  'tokensPerDay',
  'usdPerRun',
  'usdPerDay',
  'misfire',
  'overlap',
  'pauseAfter',
] as const satisfies readonly (keyof MissionSettings)[];

const columns = [
  ...PLAIN,
  'id',
  'userId',
  'schedule',
  'revision',
  'threadId',
  'tools',
  'failures',
  'state',
  'pauseReason',
  'nextDueAt',
  'createdAt',
  'updatedAt',
] as const;
