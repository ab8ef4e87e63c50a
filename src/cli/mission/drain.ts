import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
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

function drain(): Promise<void> {
  return withClient(async (client) => {
    await client.call('PUT /api/mission-drain', { body: { drained: true } });
    printLine('No more runs start. Waiting for those under way.');
    for (let quiet = 0; quiet < QUIET_CHECKS; await sleep(CHECK_EVERY_MS))
      quiet = (await client.call('GET /api/mission-drain')).running === 0 ? quiet + 1 : 0;
    printLine('No run of a mission is under way. End the drain with: reborn mission drain --end');
  });
}

function stop(): Promise<void> {
  return withClient(async (client) => {
    const { drained: wasDrained } = await client.call('GET /api/mission-drain');
    await client.call('PUT /api/mission-drain', { body: { drained: false } });
    printLine(wasDrained ? 'Missions run again.' : 'Missions were not drained.');
  });
}
