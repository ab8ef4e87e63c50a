import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type AuditEntry, audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { claimSetting, deleteSetting, readSetting } from '#store/settings.ts';
import { MISSION_DRAIN } from '#store/system/missions.ts';
import { countActiveRuns } from '#store/system/occurrences.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';

export type MissionDrain = ReturnType<typeof createMissionDrain>;

/**
 * For maintenance, of all users' missions. During a drain, no replica starts a run of any mission. Runs that are under way
 * continue. The due times of the drain are planned afterwards, as after an outage.
 */
export function createMissionDrain(db: Database, system: SystemConnection) {
  const isDrained = async () => (await readSetting(db, MISSION_DRAIN)) !== undefined;
  return {
    isDrained,
    read: async () => ({ drained: await isDrained(), running: await countActiveRuns(system) }),
    begin: (by: Principal) =>
      withOwner(db, OPERATOR, (trx) =>
        audited(trx, (writing) => claimSetting(writing, MISSION_DRAIN, {}), entryOf(by, 'mission.drain')),
      ),
    end: (by: Principal) =>
      withOwner(db, OPERATOR, (trx) =>
        audited(trx, (writing) => deleteSetting(writing, MISSION_DRAIN), entryOf(by, 'mission.drain-end')),
      ),
  };
}

const entryOf = (by: Principal, action: string): AuditEntry => ({
  actor: by.userId,
  action,
  subject: MISSION_DRAIN,
  detail: {},
});
