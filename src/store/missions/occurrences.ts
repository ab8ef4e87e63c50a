import { sql } from 'kysely';
import type { MissionId } from '#domain/ids.ts';
import type { Mission, Occurrence } from '#domain/mission/mission.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** An occurrence, and whether its turn waits at a gate. */
export type ListedOccurrence = Occurrence & { readonly isWaiting: boolean };

/** Newest first; `before` is the slot of the last one of the previous page. */
export async function listOccurrences(
  trx: OwnedTransaction,
  owner: Owner,
  missionId: MissionId,
  { before, limit }: { readonly before: Date | undefined; readonly limit: number },
): Promise<ListedOccurrence[]> {
  const rows = await listed(trx, owner)
    .where('occurrences.missionId', '=', missionId)
    .$if(before !== undefined, (query) => query.where('slot', '<', before as Date))
    .orderBy('slot', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toOccurrence);
}

/** The newest occurrence of each mission. */
export async function listLastOccurrences(trx: OwnedTransaction, owner: Owner): Promise<ListedOccurrence[]> {
  const rows = await listed(trx, owner)
    .where('slot', '=', (query) =>
      query
        .selectFrom('occurrences as newest')
        .select((row) => row.fn.max('newest.slot').as('slot'))
        .whereRef('newest.missionId', '=', 'occurrences.missionId'),
    )
    .execute();
  return rows.map(toOccurrence);
}

/**
 * Adds a run that is due now. It does not change the schedule. A repeated request with the same key returns the run of the first
 * one. Scheduled slots are whole seconds, and this one never is.
 */
export async function insertManualOccurrence(
  trx: OwnedTransaction,
  owner: Owner,
  mission: Mission,
  requestKey: string,
): Promise<ListedOccurrence> {
  const now = sql<Date>`date_trunc('second', now()) + make_interval(secs => greatest(1, extract(milliseconds from now())::integer % 1000) / 1000.0)`;
  await trx
    .insertInto('occurrences')
    .values({
      missionId: mission.id,
      userId: owner.userId,
      slot: now,
      kind: 'manual',
      state: 'due',
      revision: mission.revision,
      dueAt: sql<Date>`now()`,
      requestKey,
    })
    .onConflict((known) => known.doNothing())
    .execute();
  const row = await listed(trx, owner)
    .where('occurrences.missionId', '=', mission.id)
    .where('requestKey', '=', requestKey)
    .executeTakeFirstOrThrow();
  return toOccurrence(row);
}

/** Records a due time that had passed, but was not seen before its mission was changed. */
export async function insertSkippedOccurrence(
  trx: OwnedTransaction,
  owner: Owner,
  { id, revision }: Mission,
  slot: Date,
): Promise<void> {
  const ended = { state: 'skipped', reason: 'changed', endedAt: sql<Date>`now()` } as const;
  await trx
    .insertInto('occurrences')
    .values({ missionId: id, userId: owner.userId, slot, kind: 'scheduled', revision, dueAt: slot, ...ended })
    .onConflict((known) => known.doNothing())
    .execute();
}

const listed = (trx: OwnedTransaction, owner: Owner) =>
  trx
    .selectFrom('occurrences')
    .leftJoin('turns', 'turns.id', 'occurrences.turnId')
    .select([
      'missionId',
      'slot',
      'kind',
      'state',
      'reason',
      'dueAt',
      'occurrences.threadId',
      'turnId',
      'tokens',
      'costUsd',
      'occurrences.startedAt',
      'occurrences.endedAt',
      'turns.status as turnStatus',
    ])
    .where('occurrences.userId', '=', owner.userId);

type Row = Omit<Occurrence, 'tokens'> & { readonly tokens: string; readonly turnStatus: string | null };

const toOccurrence = ({ tokens, turnStatus, ...row }: Row): ListedOccurrence => ({
  ...row,
  tokens: Number(tokens),
  isWaiting: row.state === 'started' && turnStatus === 'waiting',
});
