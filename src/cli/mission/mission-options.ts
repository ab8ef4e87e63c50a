import type { MissionChange } from '@reborn-agent/client/api';
import { type Command, InvalidArgumentError, Option } from 'commander';

export type MissionOptions = {
  readonly cron?: string;
  readonly every?: number;
  readonly at?: string;
  readonly timeZone?: string;
  readonly onTurnOf?: string;
  readonly thread?: 'same' | 'new';
  readonly tools?: readonly string[] | null;
  readonly misfire?: 'skip' | 'latest' | 'all';
  readonly overlap?: 'skip' | 'queue' | 'cancel';
  readonly pauseAfter?: number;
  readonly tokensPerRun?: number | null;
  readonly tokensPerDay?: number | null;
  readonly usdPerRun?: number | null;
  readonly usdPerDay?: number | null;
};

/** The settings of a mission that its creation and its changes have in common. */
export function addMissionOptions(command: Command): Command {
  return command
    .option('--cron <fields>', 'five fields: minute, hour, day of month, month, day of week')
    .option('--every <minutes>', 'an interval instead', toWhole)
    .option('--at <time>', 'a single local date and time instead, such as 2026-12-24T18:00')
    .option('--time-zone <name>', 'such as Europe/Oslo; needed with --cron and --at')
    .option('--on-turn-of <user>', 'instead, when a turn has ended: me, or a webhook user such as webhook:github')
    .addOption(new Option('--thread <which>', 'whether all runs share one thread').choices(['same', 'new']))
    .option('--tools <names>', 'the only tools that runs may use, separated by commas; all for all', toNames)
    .addOption(new Option('--misfire <policy>', 'after an outage').choices(['skip', 'latest', 'all']))
    .addOption(new Option('--overlap <policy>', 'while a run is under way').choices(['skip', 'queue', 'cancel']))
    .option('--pause-after <failures>', 'failed runs in a row after which the mission is paused', toWhole)
    .option('--tokens-per-run <number>', 'a budget; none for no limit', toLimit)
    .option('--tokens-per-day <number>', 'a budget; none for no limit', toLimit)
    .option('--usd-per-run <amount>', 'a budget in US dollars; none for no limit', toAmount)
    .option('--usd-per-day <amount>', 'a budget in US dollars; none for no limit', toAmount);
}

/** The settings that were given, for the API. */
export function toChange({ cron, every, at, timeZone, onTurnOf, ...rest }: MissionOptions): MissionChange {
  if ((cron ?? at) !== undefined && timeZone === undefined) throw new Error('Add --time-zone, such as Europe/Oslo.');
  const schedule = onlyGiven({ cron, every_minutes: every, at, time_zone: timeZone, on_turn_of: onTurnOf });
  return {
    ...onlyGiven({
      thread: rest.thread,
      tools: rest.tools,
      misfire: rest.misfire,
      overlap: rest.overlap,
      pause_after: rest.pauseAfter,
      tokens_per_run: rest.tokensPerRun,
      tokens_per_day: rest.tokensPerDay,
      usd_per_run: rest.usdPerRun,
      usd_per_day: rest.usdPerDay,
    }),
    ...(Object.keys(schedule).length > 0 && { schedule }),
  };
}

function onlyGiven<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

function toWhole(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(given);
}

const toLimit = (given: string): number | null => (given === 'none' ? null : toWhole(given));

function toAmount(given: string): number | null {
  if (given === 'none') return null;
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(given) || Number(given) === 0)
    throw new InvalidArgumentError('It must be an amount such as 0.50.');
  return Number(given);
}

function toNames(given: string): readonly string[] | null {
  if (given === 'all') return null;
  const names = given.split(',').map((name) => name.trim());
  if (names.some((name) => !/^[\w.-]{1,64}$/.test(name)))
    throw new InvalidArgumentError('It must be names of tools, separated by commas.');
  return names;
}
