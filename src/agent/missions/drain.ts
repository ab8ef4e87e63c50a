import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type AuditEntry, audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { claimSetting, deleteSetting } from '#store/settings.ts';
import { MISSION_DRAIN } from '#store/system/missions.ts';

/**
 * Starts no more runs of any mission, on any replica, until `endDrain`. Runs that are under way continue. The due times of the
 * drain are planned afterwards, like those of an outage. Returns whether it began now.
 */
export function beginDrain(db: Database, by: Principal): Promise<boolean> {
  return withOwner(db, OPERATOR, (trx) =>
    audited(trx, (writing) => claimSetting(writing, MISSION_DRAIN, {}), entryOf(by, 'mission.drain')),
  );
}

/** Returns whether there was a drain. */
export function endDrain(db: Database, by: Principal): Promise<boolean> {
  return withOwner(db, OPERATOR, (trx) =>
    audited(trx, (writing) => deleteSetting(writing, MISSION_DRAIN), entryOf(by, 'mission.drain-end')),
  );
}

const entryOf = (by: Principal, action: string): AuditEntry => ({
  actor: by.userId,
  action,
  subject: MISSION_DRAIN,
  detail: {},
});
