import { type Command, InvalidArgumentError } from 'commander';

/** The budgets and tools of a mission or an assistant, as options. */
export type WorkOptions = {
  readonly tools?: readonly string[] | null;
  readonly tokensPerRun?: number | null;
  readonly tokensPerDay?: number | null;
  readonly usdPerRun?: number | null;
  readonly usdPerDay?: number | null;
};

export function addBudgetOptions(command: Command): Command {
  return command
    .option('--tokens-per-run <number>', 'a budget; none for no limit', toLimit)
    .option('--tokens-per-day <number>', 'a budget; none for no limit', toLimit)
    .option('--usd-per-run <amount>', 'a budget in US dollars; none for no limit', toAmount)
    .option('--usd-per-day <amount>', 'a budget in US dollars; none for no limit', toAmount);
}

/** Those that were given, for the API. */
export const workFieldsOf = (options: WorkOptions) =>
  onlyGiven({
    tools: orNull(options.tools),
    tokens_per_run: orNull(options.tokensPerRun),
    tokens_per_day: orNull(options.tokensPerDay),
    usd_per_run: orNull(options.usdPerRun),
    usd_per_day: orNull(options.usdPerDay),
  });

/** Commander makes an empty text of the null that a parser gives for `none` and `all`. */
export const orNull = <T>(value: T): T | null => (value === '' ? null : value);

export function onlyGiven<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

export function toWhole(given: string): number {
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

/** Names of tools or skills. */
export function toNames(given: string): readonly string[] | null {
  if (given === 'all') return null;
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.some((name) => !/^[\w.-]{1,64}$/.test(name)))
    throw new InvalidArgumentError('It must be names, separated by commas.');
  return names;
}

/** A name, or null for `none`. */
export const toName = (given: string): string | null => (given === 'none' ? null : given);
