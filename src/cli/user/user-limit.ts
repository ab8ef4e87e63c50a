import { type Command, InvalidArgumentError, Option } from 'commander';
import { OPERATOR, type UserId } from '#domain/principal.ts';
import { NO_LIMITS, type SpendingLimits } from '#domain/spending.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { type Desk, withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printLine, printRecord } from '../print.ts';

type LimitOptions = {
  readonly tokens?: number;
  readonly usd?: number;
  readonly none?: true;
  readonly json?: true;
};

/** `reborn user limit`: how much a user may spend in a day. */
export function addUserLimitCommand(user: Command): void {
  user
    .command('limit')
    .argument('<user>', 'an id, email or name; operator, or a webhook user such as webhook:ann')
    .option('--tokens <number>', 'tokens a day', parseTokens)
    .option('--usd <number>', 'US dollars a day', parseUsd)
    .addOption(new Option('--none', 'use the default limits').conflicts(['tokens', 'usd']))
    .option('--json', 'print JSON')
    .description('Show or set what a user may spend in a day. What is not named stays as it is.')
    .addHelpText('after', '\nExample:\n  reborn user limit Ann --tokens 200000 --usd 2.50')
    .action(limitUser);
}

function limitUser(called: string, { tokens, usd, none, json }: LimitOptions): Promise<void> {
  return withAccounts(async (desk) => {
    const { id, name } = await findSpender(desk, called);
    const before = (await desk.limits.list(COMMAND_LINE, [id])).get(id) ?? NO_LIMITS;
    const after: SpendingLimits = none
      ? NO_LIMITS
      : { tokensPerDay: tokens ?? before.tokensPerDay, usdPerDay: usd ?? before.usdPerDay };
    if (none || tokens !== undefined || usd !== undefined) await desk.limits.set(COMMAND_LINE, id, after);

    if (json) return printRecord({ id, ...after });
    printLine(describe(name, after));
  });
}

/** Also those who spend and have no account. */
async function findSpender({ getUser }: Desk, called: string): Promise<{ id: UserId; name: string }> {
  return called === OPERATOR.userId || isWebhookUser(called) ? { id: called, name: called } : getUser(called);
}

function describe(name: string, { tokensPerDay, usdPerDay }: SpendingLimits): string {
  const parts = [
    ...(tokensPerDay === null ? [] : [`${tokensPerDay} tokens`]),
    ...(usdPerDay === null ? [] : [`${usdPerDay.toFixed(2)} US dollars`]),
  ];
  return parts.length > 0
    ? `${name} may spend ${parts.join(' and ')} a day, from the next turn on.`
    : `${name} has the default limits, which are set by USER_TOKENS_PER_DAY and USER_USD_PER_DAY.`;
}

function parseTokens(given: string): number {
  const tokens = given.trim() === '' ? Number.NaN : Number(given);
  if (!Number.isSafeInteger(tokens) || tokens < 0)
    throw new InvalidArgumentError('It must be a whole number, such as 200000.');
  return tokens;
}

function parseUsd(given: string): number {
  const usd = given.trim() === '' ? Number.NaN : Number(given);
  if (!Number.isFinite(usd) || usd < 0) throw new InvalidArgumentError('It must be a number, such as 2.50.');
  return usd;
}
