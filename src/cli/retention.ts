import { Argument, type Command } from 'commander';
import { createRetentionAdmin, type RetentionView } from '#agent/administration/retention-admin.ts';
import { OPERATOR } from '#domain/principal.ts';
import { type Days, DEFAULT_RETENTION, LONGEST_DAYS, RETENTION_KINDS, type RetentionKind } from '#domain/retention.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { type Desk, withAccounts } from './connect/with-accounts.ts';
import { COMMAND_LINE } from './connect/with-database.ts';
import { printJson, printTable } from './print.ts';

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
  return withAccounts(async (desk) => {
    print(await adminOf(desk).read(COMMAND_LINE, await subjectOf(desk, user)), json);
  });
}

function set(kind: RetentionKind, given: string, { user, json }: Options): Promise<void> {
  return withAccounts(async (desk) => {
    const days = parseDays(given);
    print(await adminOf(desk).change(COMMAND_LINE, await subjectOf(desk, user), { [kind]: days }), json);
  });
}

function adminOf({ db, config, accounts }: Desk) {
  const defaults = { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays };
  return createRetentionAdmin({ db, defaults, isUser: (id) => accounts.isUser(id) });
}

async function subjectOf({ getUser }: Desk, called: string | undefined): Promise<string | null> {
  if (called === undefined) return null;
  return called === OPERATOR.userId || isWebhookUser(called) ? called : (await getUser(called)).id;
}

function parseDays(given: string): Days | undefined {
  if (given === 'default') return undefined;
  if (given === 'unlimited') return null;
  if (!/^\d+$/.test(given))
    throw new Error(`"${given}" is not a number of days. Write one up to ${LONGEST_DAYS}, "unlimited" or "default".`);
  return Number(given);
}

function print({ days, set: own }: RetentionView, json: true | undefined): void {
  if (json) return printJson({ days, set: own });
  const kinds = RETENTION_KINDS.filter((kind) => kind in days);
  printTable([
    ['kind', 'deleted after', ''],
    ...kinds.map((kind) => [kind, describe(days[kind] ?? null), kind in own ? 'set here' : 'inherited']),
  ]);
}

const describe = (days: Days) => (days === null ? 'never' : days === 1 ? '1 day' : `${days} days`);
