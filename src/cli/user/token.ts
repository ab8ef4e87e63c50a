import { formatMinute } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { isUuid } from '#domain/ids.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printNotice, printTable } from '../print.ts';
import { getUser } from './find-user.ts';

type Json = { readonly json?: true };
type CreateOptions = Json & { readonly name: string; readonly expires?: string };

/** `reborn token`: by what users are known. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description("Make, list and revoke users' tokens.");
  token
    .command('create')
    .argument('<user>', 'an id, email or name; me for yourself')
    .option('--name <name>', 'what the token is for', 'command line')
    .option('--expires <when>', 'a time such as 2030-01-31, or how long: 12h, 30d; never, when left out')
    .option('--json', 'print JSON')
    .description('Make a token. It is shown only once.')
    .addHelpText('after', '\nExample:\n  reborn token create ann@example.com --name laptop --expires 90d')
    .action(createToken);
  token
    .command('list')
    .argument('<user>', 'an id, email or name; me for yourself')
    .option('--json', 'print JSON')
    .description("List a user's tokens.")
    .addHelpText('after', '\nExample:\n  reborn token list ann@example.com')
    .action(listTokens);
  token
    .command('revoke')
    .argument('<id>', 'the id of the token')
    .option('--json', 'print JSON')
    .description('Revoke a token. It is refused everywhere within 5 seconds.')
    .addHelpText('after', '\nExample:\n  reborn token revoke 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(revokeToken);
}

function createToken(called: string, { name, expires, json }: CreateOptions): Promise<void> {
  return withClient(async (client) => {
    const expiresAt = expires === undefined ? null : parseExpiry(expires, new Date()).toISOString();
    const user = await getUser(client, called);
    const body = { name, expires_at: expiresAt };
    const made = await client.call('POST /api/users/{id}/tokens', { params: { id: user.id }, body });
    if (json) return printJson(made);
    printNotice(`A token for ${user.name}, id ${made.id}. It is not shown again:`);
    printLine(made.token);
  });
}

function listTokens(called: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const user = await getUser(client, called);
    const { tokens } = await client.call('GET /api/users/{id}/tokens', { params: { id: user.id } });
    if (json) return printJson(tokens);
    if (tokens.length === 0)
      return printLine(`${user.name} has no tokens. Make one with \`reborn token create ${user.id}\`.`);
    printTable([
      ['id', 'name', 'created', 'expires', 'last used'],
      ...tokens.map(({ id, name, created_at: created, expires_at: expires, last_used_at: used }) => [
        id,
        name,
        ...[created, expires, used].map((time) => (time === null ? 'never' : formatMinute(time))),
      ]),
    ]);
  });
}

function revokeToken(id: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    if (!isUuid(id))
      throw new Error('Not a token ID. `reborn token list <user>` shows the IDs; a token itself is not one.');
    await client.call('DELETE /api/tokens/{id}', { params: { id } });
    if (json) return printJson({ id });
    printLine('Revoked. It is refused everywhere within 5 seconds.');
  });
}

const UNITS = { h: 3_600_000, d: 86_400_000 } as const;

/** `12h` and `30d` count from `now`; anything else must be a date, or a time with its zone. */
export function parseExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(T\S+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = unit ? now.getTime() + Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(text);
  if (!(unit || isDate) || Number.isNaN(time))
    throw new Error(`"${text}" is not a time. Write 12h, 30d, 2030-01-31 or 2030-01-31T12:00:00Z.`);
  if (time <= now.getTime()) throw new Error(`"${text}" has passed already. Choose a time in the future.`);
  return new Date(time);
}
