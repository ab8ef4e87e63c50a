import type { Client } from '@reborn-agent/client';
import { Argument, type Command } from 'commander';
import { type Days, LONGEST_DAYS, RETENTION_KINDS, type RetentionKind } from '#domain/retention.ts';
import { withClient } from './connect/with-client.ts';
import { printJson, printTable } from './print.ts';
import { getAnyone } from './user/find-user.ts';

type Options = { readonly user?: string; readonly json?: true };

/** `reborn retention`: how long data is kept. */
export function addRetentionCommands(program: Command): void {
  const retention = program.command('retention').description('Show and set how long data is kept.');
  retention
    .command('show')
    .option('--user <user>', 'an id, email or name; operator, or a webhook user such as webhook:ann')
    .option('--json', 'print JSON')
    .description('Show after how many days data is deleted.')
    .addHelpText('after', '\nExample:\n  reborn retention show --user Ann')
    .action(show);
  retention
    .command('set')
    .addArgument(new Argument('<kind>', 'what is kept').choices(RETENTION_KINDS))
    .argument('<days>', 'a number of days; "unlimited"; or "default" to inherit the limit again')
    .option('--user <user>', 'for this user only')
    .option('--json', 'print JSON')
    .description('Set after how many days data is deleted.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn retention set threads 365\n  reborn retention set threads unlimited --user Ann',
    )
    .action(set);
}

function show({ user, json }: Options): Promise<void> {
  return withClient(async (client) => print(await limitsOf(client, user).then(({ read }) => read()), json));
}

function set(kind: RetentionKind, given: string, { user, json }: Options): Promise<void> {
  return withClient(async (client) => {
    const days = parseDays(given);
    const limits = await limitsOf(client, user);
    const { set: before } = await limits.read();
    print(await limits.write({ ...before, [kind]: days }), json);
  });
}

/** The limits of a user, or without one those for everyone. */
async function limitsOf(client: Client, called: string | undefined) {
  if (called === undefined)
    return {
      read: (): Promise<View> => client.call('GET /api/retention'),
      write: (body: Rules): Promise<View> => client.call('PUT /api/retention', { body }),
    };
  const params = { id: (await getAnyone(client, called)).id };
  return {
    read: (): Promise<View> => client.call('GET /api/users/{id}/retention', { params }),
    write: (body: Rules): Promise<View> => client.call('PUT /api/users/{id}/retention', { params, body }),
  };
}

type Rules = Partial<Record<RetentionKind, Days>>;
type View = { readonly days: Rules; readonly set: Rules };

function parseDays(given: string): Days | undefined {
  if (given === 'default') return undefined;
  if (given === 'unlimited') return null;
  if (!/^\d+$/.test(given))
    throw new Error(`"${given}" is not a number of days. Write one up to ${LONGEST_DAYS}, "unlimited" or "default".`);
  return Number(given);
}

function print({ days, set: own }: View, json: true | undefined): void {
  if (json) return printJson({ days, set: own });
  const kinds = RETENTION_KINDS.filter((kind) => kind in days);
  printTable([
    ['kind', 'deleted after', ''],
    ...kinds.map((kind) => [kind, describe(days[kind] ?? null), kind in own ? 'set here' : 'inherited']),
  ]);
}

const describe = (days: Days) => (days === null ? 'never' : days === 1 ? '1 day' : `${days} days`);
