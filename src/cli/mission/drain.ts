import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { beginDrain, endDrain } from '#agent/missions/drain.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import type { Database } from '#store/connection.ts';
import { readSetting } from '#store/settings.ts';
import { MISSION_DRAIN } from '#store/system/missions.ts';
import { countActiveRuns } from '#store/system/occurrences.ts';
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { printLine } from '../print.ts';

const CHECK_EVERY_MS = 500;
/** A look of a replica that began before the drain can still start runs. */
const QUIET_CHECKS = 4;

/** `reborn mission drain`: for maintenance, of all users' missions. */
export function addDrainCommand(mission: Command): void {
  mission
    .command('drain')
    .option('--end', 'let missions run again')
    .description("Start no more runs of any user's mission, and wait until those under way have ended.")
    .addHelpText('after', '\nExample:\n  reborn mission drain')
    .action(({ end }: { end?: true }) => (end ? stop() : drain()));
}

export const isDrained = async (db: Database): Promise<boolean> => (await readSetting(db, MISSION_DRAIN)) !== undefined;

function drain(): Promise<void> {
  return withDatabase(async ({ db, connection }) => {
    await beginDrain(db, COMMAND_LINE);
    printLine('No more runs start. Waiting for those under way.');
    await using undo = new AsyncDisposableStack();
    const system = connectEngine({ ...connection, max: 1 }, () => {}); // a cut line fails the query, which reports it
    undo.defer(() => system.end());
    for (let quiet = 0; quiet < QUIET_CHECKS; await sleep(CHECK_EVERY_MS))
      quiet = (await countActiveRuns(system)) === 0 ? quiet + 1 : 0;
    printLine('No run of a mission is under way. End the drain with: reborn mission drain --end');
  });
}

function stop(): Promise<void> {
  return withDatabase(async ({ db }) => {
    const wasDrained = await endDrain(db, COMMAND_LINE);
    printLine(wasDrained ? 'Missions run again.' : 'Missions were not drained.');
  });
}
