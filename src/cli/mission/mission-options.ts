import type { MissionChange } from '@reborn-agent/client/api';
import { type Command, Option } from 'commander';
import {
  addBudgetOptions,
  onlyGiven,
  orNull,
  toName,
  toNames,
  toWhole,
  type WorkOptions,
  workFieldsOf,
} from '../assistant/work-options.ts';

export type MissionOptions = WorkOptions & {
  readonly cron?: string;
  readonly every?: number;
  readonly at?: string;
  readonly timeZone?: string;
  readonly onTurnOf?: string;
  readonly thread?: 'same' | 'new';
  readonly misfire?: 'skip' | 'latest' | 'all';
  readonly overlap?: 'skip' | 'queue' | 'cancel';
  readonly pauseAfter?: number;
  readonly assistant?: string | null;
};

/** The settings of a mission that its creation and its changes have in common. */
export function addMissionOptions(command: Command): Command {
  const withOptions = command
    .option('--cron <fields>', 'five fields: minute, hour, day of month, month, day of week')
    .option('--every <minutes>', 'an interval instead', toWhole)
    .option('--at <time>', 'a single local date and time instead, such as 2026-12-24T18:00')
    .option('--time-zone <name>', 'such as Europe/Oslo; needed with --cron and --at')
    .option('--on-turn-of <user>', 'instead, when a turn has ended: me, or a webhook user such as webhook:github')
    .addOption(new Option('--thread <which>', 'whether all runs share one thread').choices(['same', 'new']))
    .option('--assistant <name>', 'the assistant that runs it; none for the usual agent', toName)
    .option('--tools <names>', 'the only tools that runs may use, separated by commas; all for all', toNames)
    .addOption(new Option('--misfire <policy>', 'after an outage').choices(['skip', 'latest', 'all']))
    .addOption(new Option('--overlap <policy>', 'while a run is under way').choices(['skip', 'queue', 'cancel']))
    .option('--pause-after <failures>', 'failed runs in a row after which the mission is paused', toWhole);
  return addBudgetOptions(withOptions);
}

/** The settings that were given, for the API. */
export function toChange({ cron, every, at, timeZone, onTurnOf, ...rest }: MissionOptions): MissionChange {
  if ((cron ?? at) !== undefined && timeZone === undefined) throw new Error('Add --time-zone, such as Europe/Oslo.');
  const schedule = onlyGiven({ cron, every_minutes: every, at, time_zone: timeZone, on_turn_of: onTurnOf });
  return {
    ...onlyGiven({
      thread: rest.thread,
      assistant: orNull(rest.assistant),
      misfire: rest.misfire,
      overlap: rest.overlap,
      pause_after: rest.pauseAfter,
    }),
    ...workFieldsOf(rest),
    ...(Object.keys(schedule).length > 0 && { schedule }),
  };
}
