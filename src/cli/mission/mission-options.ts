import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AskedMission } from '#agent/missions/missions.ts';

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

/** The settings that were given. */
export function toAsked({ cron, every, at, timeZone, onTurnOf, thread, ...rest }: MissionOptions): AskedMission {
  const hasSchedule = [cron, every, at, timeZone, onTurnOf].some((value) => value !== undefined);
  return {
    ...pick(rest),
    ...(thread && { keepsThread: thread === 'same' }),
    ...(hasSchedule && { schedule: { cron, everyMinutes: every, at, timeZone, onTurnOf } }),
  };
}

const pick = ({ tools, misfire, overlap, pauseAfter, ...budgets }: MissionOptions): AskedMission => ({
  ...(tools !== undefined && { tools }),
  ...(misfire && { misfire }),
  ...(overlap && { overlap }),
  ...(pauseAfter !== undefined && { pauseAfter }),
  ...(budgets.tokensPerRun !== undefined && { tokensPerRun: budgets.tokensPerRun }),
  ...(budgets.tokensPerDay !== undefined && { tokensPerDay: budgets.tokensPerDay }),
  ...(budgets.usdPerRun !== undefined && { usdPerRun: budgets.usdPerRun }),
  ...(budgets.usdPerDay !== undefined && { usdPerDay: budgets.usdPerDay }),
});

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
