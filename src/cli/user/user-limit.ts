import type { SpendingLimits } from '@reborn-agent/client/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine } from '../print.ts';
import { getAnyone } from './find-user.ts';

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
    .description("Show or set what a user may spend in a day. Limits that you don't name stay as they are.")
    .addHelpText('after', '\nExample:\n  reborn user limit Ann --tokens 200000 --usd 2.50')
    .action(limitUser);
}

function limitUser(called: string, { tokens, usd, none, json }: LimitOptions): Promise<void> {
  return withClient(async (client) => {
    const { id, name } = await getAnyone(client, called);
    const before = await client.call('GET /api/users/{id}/limits', { params: { id } });
    const after = none
      ? { tokens_per_day: null, usd_per_day: null }
      : { tokens_per_day: tokens ?? before.tokens_per_day, usd_per_day: usd ?? before.usd_per_day };
    if (none || tokens !== undefined || usd !== undefined)
      await client.call('PUT /api/users/{id}/limits', { params: { id }, body: after });

    if (json) return printJson({ id, ...after });
    printLine(describe(name, after));
  });
}

function describe(name: string, { tokens_per_day: tokens, usd_per_day: usd }: SpendingLimits): string {
  const parts = [
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    ...(usd === null ? [] : [`${usd.toFixed(2)} US dollars`]),
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
