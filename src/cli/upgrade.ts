import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { planUpgrade, type UpgradePlan, type UpgradeWork } from '#database/plan-upgrade.ts';
import { TOO_OLD } from '#database/schema-state.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { printJson, printLine, printTable } from './print.ts';
import { runCommand } from './run-command.ts';

type Options = { readonly json?: true };

const STOP_FIRST = 3;

/** `reborn upgrade --check`: what the start of this version will do to the database. Installing it is the package manager's work. */
export function addUpgradeCommand(program: Command): void {
  program
    .command('upgrade')
    .requiredOption('--check', 'say what the start of this version will change; nothing is changed now')
    .option('--json', 'print JSON')
    .description('Check what an upgrade to this version does to the database, and how long it takes.')
    .addHelpText(
      'after',
      '\nRun it with the new version, on the settings of the old one, which may run meanwhile.\n\n' +
        'Example:\n  reborn upgrade --check\n\n' +
        'Exit codes: 0 nothing to do or a rolling upgrade, 1 failed or not possible, 3 all replicas must stop first,\n' +
        '78 a setting is wrong.',
    )
    .action(check);
}

function check({ json }: Options): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    await using undo = new AsyncDisposableStack();
    if (config.databaseUrl === undefined) await makeHome(config.home);
    const database = await openDatabase({ url: config.databaseUrl, home: config.home });
    undo.defer(() => database.close());
    const plan = await planUpgrade(database.connection, MIGRATIONS);
    if (plan.isTooOld) throw new Error(TOO_OLD);
    if (plan.unknown.length > 0)
      throw new Error(
        `A newer version of Reborn has changed the database (${plan.unknown.join(', ')}). Use that version, or restore a backup ` +
          'from before.',
      );
    if (json) printJson(toJson(plan));
    else print(plan);
    if (!plan.isRolling) process.exitCode = STOP_FIRST;
  });
}

const BACKUP = `reborn backup before-${packageJson.version}.reborn`;

const toJson = ({ newest, steps, pendingIndexes, isRolling, seconds }: UpgradePlan) => ({
  version: packageJson.version,
  applied: newest ?? null,
  migrations: steps.map(({ name, worksWith, work, seconds: each }) => ({
    name,
    works_with: worksWith,
    work,
    seconds: Math.ceil(each),
  })),
  pending_indexes: pendingIndexes,
  rolling: isRolling,
  seconds: Math.ceil(seconds),
  backup: BACKUP,
});

function print({ newest, steps, pendingIndexes, isRolling, seconds }: UpgradePlan): void {
  if (newest === undefined) return printLine('The database is empty. The first start makes the schema.');
  if (steps.length === 0 && pendingIndexes.length === 0)
    return printLine(`Nothing to do: the schema (${newest}) is the one of version ${packageJson.version}.`);

  const rows = steps.map(({ name, work, seconds: each }) => [name, durationOf(each), work.map(describe).join(', ')]);
  const unbuilt = pendingIndexes.map((index) => [index.split(' ', 1)[0] ?? '', '', 'an index that is not built yet']);
  printLine(`Version ${packageJson.version} changes the schema of ${newest}:`);
  printTable([...rows, ...unbuilt]);
  printLine(`Together ${durationOf(seconds)}: an estimate from the sizes of the tables, without waiting for locks.`);
  printLine(
    isRolling
      ? 'A rolling upgrade is possible: replicas of the version before work with the new schema, and start on it after a rollback.'
      : 'No rolling upgrade: stop all replicas first. The version before does not start on the new schema; to go back, restore the backup.',
  );
  printLine(`Make a backup first:  ${BACKUP}`);
}

const describe = ({ kind, table, rows, bytes }: UpgradeWork): string =>
  `${kind === 'index' ? 'builds an index on' : 'rewrites'} ${table} (${Math.round(rows)} rows, ${(bytes / 1e6).toFixed(1)} MB)`;

const durationOf = (seconds: number): string =>
  seconds < 120 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} min`;
