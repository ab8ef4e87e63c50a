import { sql } from 'kysely';
import type { MissionId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Failure } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** What a run has ended with. A run that had nothing to report has none. */
export type MissionResult = {
  readonly missionId: MissionId;
  readonly missionName: string;
  readonly slot: Date;
  readonly state: 'completed' | 'failed';
  /** Why it failed, or that it was cut short. */
  readonly reason: string | null;
  /** Null for a run that never had a turn, or whose turn was deleted. */
  readonly failure: Failure | null;
  readonly answer: string | null;
  readonly threadId: ThreadId | null;
  readonly turnId: TurnId | null;
  readonly costUsd: number | null;
  readonly unread: boolean;
  readonly endedAt: Date;
  /** When it ended, exactly as the database has it. */
  readonly microseconds: string;
};

/** The end of a page of results. */
export type ResultCursor = Pick<MissionResult, 'microseconds' | 'missionId'> & { readonly slotMs: string };

export type ResultFilter = {
  readonly unread: boolean;
  readonly after: ResultCursor | undefined;
  readonly limit: number;
};

const isResult = sql`state in ('completed', 'failed') and reason is distinct from 'no_result'`;

/** Newest first. */
export async function listResults(
  trx: OwnedTransaction,
  owner: Owner,
  { unread, after, limit }: ResultFilter,
): Promise<MissionResult[]> {
  const conditions = [
    sql`user_id = ${owner.userId} and ${isResult}`,
    ...(unread ? [sql`unread`] : []),
    ...(after
      ? [
          sql`(ended_at, mission_id, slot) < (timestamptz 'epoch' + ${after.microseconds}::bigint * interval '1 microsecond',
            ${after.missionId}::uuid, timestamptz 'epoch' + ${after.slotMs}::bigint * interval '1 millisecond')`,
        ]
      : []),
  ];
  const { rows } = await sql<MissionResult>`
    select mission_id, missions.name as mission_name, slot, found.state, reason, turns.failure, turns.thread_id, turns.id as turn_id,
      cost_usd, unread, found.ended_at, (extract(epoch from found.ended_at) * 1000000)::bigint::text as microseconds,
      (select text from items join item_texts on item_texts.item_id = items.id
        where items.thread_id = turns.thread_id and items.turn_seq = turns.seq and role = 'assistant'
        order by items.position desc limit 1) as answer
    from (select * from occurrences where ${sql.join(conditions, sql` and `)}
      order by ended_at desc, mission_id desc, slot desc limit ${limit}) as found
    join missions on missions.id = mission_id left join turns on turns.id = found.turn_id
    order by found.ended_at desc, mission_id desc, slot desc`.execute(trx);
  return rows;
}

export async function countUnreadResults(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const { count } = await trx
    .selectFrom('occurrences')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('userId', '=', owner.userId)
    .where('unread', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Which results: of a thread, of a mission, one run of it, or all. */
export type ResultsOf = {
  readonly threadId?: ThreadId | undefined;
  readonly missionId?: MissionId | undefined;
  readonly slot?: Date | undefined;
};

export async function markResultsRead(
  trx: OwnedTransaction,
  owner: Owner,
  { threadId, missionId, slot }: ResultsOf,
): Promise<void> {
  await trx
    .updateTable('occurrences')
    .set({ unread: false })
    .where('userId', '=', owner.userId)
    .where('unread', '=', true)
    .$if(threadId !== undefined, (query) => query.where('threadId', '=', threadId as ThreadId))
    .$if(missionId !== undefined, (query) => query.where('missionId', '=', missionId as MissionId))
    .$if(slot !== undefined, (query) => query.where('slot', '=', slot as Date))
    .execute();
}
