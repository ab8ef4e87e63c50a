import type { Client } from '@reborn-agent/client';
import type { Occurrence, SavedMission } from '@reborn-agent/client/api';
import { formatMinute } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { orMissing, withClient } from '../connect/with-client.ts';
import { findId, shortId } from '../find-named.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { addDrainCommand } from './drain.ts';
import { addMissionOptions, type MissionOptions, toChange } from './mission-options.ts';

type Json = { readonly json?: true };

const SHOWN_RUNS = 20;
const EXAMPLE = 'Morning';

/** `reborn mission`: the operator's missions. */
export function addMissionCommands(program: Command): void {
  const mission = program.command('mission').description('Manage instructions that run on a schedule.');
  addMissionOptions(
    mission
      .command('create')
      .argument('<name>', 'a name for the list')
      .requiredOption('--instruction <text>', 'what the agent is asked at each run'),
  )
    .description('Create a mission, and print its next five times.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn mission create Morning --instruction "Summarise my notes." --cron "0 8 * * 1-5" --time-zone Europe/Oslo',
    )
    .action(createMission);
  addMissionOptions(
    mission
      .command('update')
      .argument('<mission>', 'its name or id')
      .option('--name <name>', 'a name for the list')
      .option('--instruction <text>', 'what the agent is asked at each run'),
  )
    .description('Change a mission. Settings that are left out stay as they are.')
    .addHelpText('after', `\nExample:\n  reborn mission update ${EXAMPLE} --usd-per-day 0.50`)
    .action(updateMission);
  mission
    .command('list')
    .option('--json', 'print JSON')
    .description('List the missions with their next and last run.')
    .addHelpText('after', '\nExample:\n  reborn mission list')
    .action(listMissions);
  mission
    .command('show')
    .argument('<mission>', 'its name or id')
    .option('--json', 'print JSON')
    .description('Show a mission and its newest runs.')
    .addHelpText('after', `\nExample:\n  reborn mission show ${EXAMPLE}`)
    .action(showMission);
  addAction(mission, 'pause', 'Pause a mission. A run that is under way continues.', async (client, call) => {
    await client.call('POST /api/missions/{id}/pause', call);
    return 'Paused.';
  });
  addAction(mission, 'resume', 'Resume a mission from now on.', async (client, call) => {
    const { next_due_at: next, schedule } = await client.call('POST /api/missions/{id}/resume', call);
    return `Resumed. Next run: ${momentOf(next, schedule)}.`;
  });
  addAction(mission, 'run', 'Start a run now, besides the schedule.', async (client, call) => {
    await client.call('POST /api/missions/{id}/run', call);
    return 'The run starts within two seconds if the service is running.';
  });
  addDrainCommand(mission);
  addAction(mission, 'delete', 'Delete a mission and its list of runs. Threads stay.', async (client, call) => {
    await client.call('DELETE /api/missions/{id}', call);
    return 'Deleted.';
  });
}

function addAction(
  mission: Command,
  verb: string,
  description: string,
  act: (client: Client, call: { readonly params: { id: string } }) => Promise<string>,
): void {
  mission
    .command(verb)
    .argument('<mission>', 'its name or id')
    .description(description)
    .addHelpText('after', `\nExample:\n  reborn mission ${verb} ${EXAMPLE}`)
    .action((given: string) =>
      withClient(async (client) => {
        const params = { id: await findMission(client, given) };
        printLine(await orMissing(act(client, { params }), MISSING));
      }),
    );
}

function findMission(client: Client, given: string): Promise<string> {
  const readAll = async () => (await client.call('GET /api/missions')).missions;
  return findId(given, readAll, { kind: 'mission', list: 'reborn mission list' });
}

const MISSING = 'This mission does not exist. `reborn mission list` shows all missions.';

type CreateOptions = MissionOptions & { readonly instruction: string };

function createMission(name: string, { instruction, ...options }: CreateOptions): Promise<void> {
  return withClient(async (client) => {
    const body = { name, instruction, schedule: {}, ...toChange(options) };
    const made = await client.call('POST /api/missions', { body });
    const { next_times: next } = await client.call('POST /api/missions/preview', { body: { schedule: body.schedule } });
    printLine(`Created ${made.id}: ${made.schedule_words}. Next times:`);
    for (const time of next) printLine(`  ${momentOf(time, made.schedule)}`);
    tellAsking(made);
  });
}

type UpdateOptions = MissionOptions & { readonly name?: string; readonly instruction?: string };

function updateMission(given: string, { name, instruction, ...options }: UpdateOptions): Promise<void> {
  return withClient(async (client) => {
    const body = { ...(name && { name }), ...(instruction && { instruction }), ...toChange(options) };
    const params = { id: await findMission(client, given) };
    const changed = await orMissing(client.call('PATCH /api/missions/{id}', { params, body }), MISSING);
    printLine(
      `Changed ${changed.name}: ${changed.schedule_words}. Next run: ${momentOf(changed.next_due_at, changed.schedule)}.`,
    );
    tellAsking(changed);
  });
}

/** A run that waits for an approval is denied after a day, so its owner should know beforehand. */
function tellAsking({ asks_after_others: asking }: SavedMission): void {
  if (asking.length > 0)
    printLine(`After reading text by others, a run waits for an approval before it calls: ${asking.join(', ')}.`);
}

function listMissions({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { missions, drained } = await client.call('GET /api/missions');
    if (json) return printJson(missions);
    if (drained) printLine('Missions are drained: no run starts until `reborn mission drain --end`.');
    if (missions.length === 0) return printLine('No missions yet.');
    printTable([
      ['id', 'name', 'state', 'schedule', 'next', 'last'],
      ...missions.map((mission) => [
        shortId(mission.id),
        mission.name,
        mission.state,
        mission.schedule_words,
        mission.next_due_at === null ? '-' : formatMinute(mission.next_due_at),
        mission.last_run?.status ?? '-',
      ]),
    ]);
  });
}

function showMission(given: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findMission(client, given) };
    const mission = await orMissing(client.call('GET /api/missions/{id}', { params }), MISSING);
    const query = { limit: SHOWN_RUNS };
    const { occurrences: runs } = await client.call('GET /api/missions/{id}/occurrences', { params, query });
    if (json) return printJson({ mission, runs });
    printLine(`${mission.name} (${mission.pause_reason ?? mission.state}): ${mission.schedule_words}`);
    printLine(mission.instruction);
    if (runs.length > 0) printTable([['due', 'state', 'thread', 'reason'], ...runs.map(rowOf)]);
  });
}

const rowOf = ({ slot, status, thread_id: thread, reason }: Occurrence): string[] => [
  formatMinute(slot),
  status,
  thread === null ? '' : shortId(thread),
  reason ?? '',
];

/** In the zone that the schedule names. */
const momentOf = (at: string | null, { time_zone: zone }: SavedMission['schedule']): string =>
  at === null ? 'none' : formatMinute(at, zone);
