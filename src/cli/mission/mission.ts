import type { Command } from 'commander';
import { asksAfterOthers } from '#agent/gates/asks-after-others.ts';
import { listPolicies, policyFor } from '#agent/gates/policy-settings.ts';
import { createMissions, type ListedOccurrence, type Missions } from '#agent/missions/missions.ts';
import { NotFound } from '#domain/errors.ts';
import { isUuid, type MissionId, newId } from '#domain/ids.ts';
import type { Mission } from '#domain/mission/mission.ts';
import { describeSchedule } from '#domain/mission/schedule.ts';
import { OPERATOR } from '#domain/principal.ts';
import { type OpenedDatabase, withDatabase } from '../connect/with-database.ts';
import { listKnownTools } from '../policy/tool-names.ts';
import { printLine, printRecord, printTable } from '../print.ts';
import { addDrainCommand, isDrained } from './drain.ts';
import { addMissionOptions, type MissionOptions, toAsked } from './mission-options.ts';

type Json = { readonly json?: true };

const SHOWN_RUNS = 20;
const EXAMPLE_ID = '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11';

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
      .argument('<id>', 'the id from the list')
      .option('--name <name>', 'a name for the list')
      .option('--instruction <text>', 'what the agent is asked at each run'),
  )
    .description('Change a mission. Settings that are left out stay as they are.')
    .addHelpText('after', `\nExample:\n  reborn mission update ${EXAMPLE_ID} --usd-per-day 0.50`)
    .action(updateMission);
  mission
    .command('list')
    .option('--json', 'print JSON')
    .description('List the missions with their next and last run.')
    .addHelpText('after', '\nExample:\n  reborn mission list')
    .action(listMissions);
  mission
    .command('show')
    .argument('<id>', 'the id from the list')
    .option('--json', 'print JSON')
    .description('Show a mission and its newest runs.')
    .addHelpText('after', `\nExample:\n  reborn mission show ${EXAMPLE_ID}`)
    .action(showMission);
  addAction(mission, 'pause', 'Pause a mission. A run that is under way continues.', async (missions, id) => {
    await missions.pause(OPERATOR, id);
    return 'Paused.';
  });
  addAction(mission, 'resume', 'Resume a mission from now on.', async (missions, id) => {
    const { nextDueAt } = await missions.resume(OPERATOR, id);
    return `Resumed. Next run: ${nextDueAt?.toISOString() ?? 'none'}.`;
  });
  addAction(mission, 'run', 'Start a run now, besides the schedule.', async (missions, id) => {
    await missions.run(OPERATOR, id, newId());
    return 'The run is due. A running service starts it within a second or two.';
  });
  addDrainCommand(mission);
  addAction(mission, 'delete', 'Delete a mission and its list of runs. Threads stay.', async (missions, id) => {
    await missions.delete(OPERATOR, id);
    return 'Deleted.';
  });
}

function addAction(
  mission: Command,
  verb: string,
  description: string,
  act: (missions: Missions, id: MissionId) => Promise<string>,
): void {
  mission
    .command(verb)
    .argument('<id>', 'the id from the list')
    .description(description)
    .addHelpText('after', `\nExample:\n  reborn mission ${verb} ${EXAMPLE_ID}`)
    .action((id: string) => withDatabase(async ({ db }) => printLine(await act(createMissions(db), toId(id)))));
}

function createMission(
  name: string,
  { instruction, ...options }: MissionOptions & { instruction: string },
): Promise<void> {
  return withDatabase(async (opened) => {
    const missions = createMissions(opened.db);
    const asked = toAsked(options);
    const made = await missions.create(OPERATOR, { name, instruction, ...asked });
    const { next } = await missions.preview(OPERATOR, asked.schedule ?? {});
    printLine(`Created ${made.id}: ${describeSchedule(made.schedule)}. Next times:`);
    for (const time of next) printLine(`  ${time.toISOString()}`);
    await tellAsking(opened, made);
  });
}

function updateMission(
  id: string,
  { name, instruction, ...options }: MissionOptions & { name?: string; instruction?: string },
): Promise<void> {
  return withDatabase(async (opened) => {
    const texts = { ...(name && { name }), ...(instruction && { instruction }) };
    const changed = await createMissions(opened.db).update(OPERATOR, toId(id), { ...texts, ...toAsked(options) });
    const next = changed.nextDueAt?.toISOString() ?? 'none';
    printLine(`Changed ${changed.name}: ${describeSchedule(changed.schedule)}. Next run: ${next}.`);
    await tellAsking(opened, changed);
  });
}

/** A run that waits for an approval is denied after a day, so its owner should know beforehand. */
async function tellAsking(opened: OpenedDatabase, { tools }: Mission): Promise<void> {
  if (!tools || tools.length === 0) return;
  const [known, policies] = [await listKnownTools(opened), await listPolicies(opened.db)];
  const asking = known.filter(
    (tool) => tools.includes(tool.name) && asksAfterOthers(tool, policyFor(policies, tool.name, OPERATOR.userId)),
  );
  if (asking.length === 0) return;
  const names = [...new Set(asking.map(({ name }) => name))].join(', ');
  printLine(`After reading text by others, a run waits for an approval before it calls: ${names}.`);
}

function listMissions({ json }: Json): Promise<void> {
  return withDatabase(async ({ db }) => {
    const listed = await createMissions(db).list(OPERATOR);
    if (json) return printRecord(listed);
    if (await isDrained(db)) printLine('Missions are drained: no run starts until `reborn mission drain --end`.');
    if (listed.length === 0) return printLine('There are no missions.');
    printTable([
      ['id', 'name', 'state', 'schedule', 'next', 'last'],
      ...listed.map(({ mission, last }) => [
        mission.id,
        mission.name,
        mission.state,
        describeSchedule(mission.schedule),
        mission.nextDueAt?.toISOString() ?? '-',
        last ? stateOf(last) : '-',
      ]),
    ]);
  });
}

function showMission(id: string, { json }: Json): Promise<void> {
  return withDatabase(async ({ db }) => {
    const missions = createMissions(db);
    const mission = await missions.get(OPERATOR, toId(id));
    const runs = await missions.occurrences(OPERATOR, mission.id, { before: undefined, limit: SHOWN_RUNS });
    if (json) return printRecord({ mission, runs });
    printLine(`${mission.name} (${mission.pauseReason ?? mission.state}): ${describeSchedule(mission.schedule)}`);
    printLine(mission.instruction);
    if (runs.length > 0) printTable([['due', 'state', 'reason'], ...runs.map(rowOf)]);
  });
}

const stateOf = ({ state, isWaiting }: ListedOccurrence): string => (isWaiting ? 'waiting' : state);
const rowOf = (run: ListedOccurrence): string[] => [run.slot.toISOString(), stateOf(run), run.reason ?? ''];

function toId(given: string): MissionId {
  if (!isUuid<MissionId>(given)) throw new NotFound('There is no such mission.');
  return given;
}
