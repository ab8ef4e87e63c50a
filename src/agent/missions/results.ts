import type { Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  countUnreadResults,
  listResults,
  type MissionResult,
  markResultsRead,
  type ResultFilter,
  type ResultsOf,
} from '#store/missions/results.ts';

export type MissionResults = ReturnType<typeof createMissionResults>;
export type { MissionResult };

type Owner = Pick<Principal, 'userId'>;

/** What the runs of someone's missions have ended with, and whether they have read it. */
export const createMissionResults = (db: Database) => ({
  list: (owner: Owner, filter: ResultFilter): Promise<{ results: MissionResult[]; unread: number }> =>
    withOwner(db, owner, async (trx) => ({
      results: await listResults(trx, owner, filter),
      unread: await countUnreadResults(trx, owner),
    })),

  markRead: (owner: Owner, which: ResultsOf): Promise<void> =>
    withOwner(db, owner, (trx) => markResultsRead(trx, owner, which)),
});
