import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { wholeNumber } from '../whole-number.ts';
import { findManager, type LogOptions, type Manager, thisMachine } from './manager.ts';
import { chooseUser, thisProgram } from './program.ts';

type InstallOptions = { readonly as?: string; readonly print?: true };

/** `reborn service`: keeps the service running, by systemd or launchd. */
export function addServiceCommands(program: Command): void {
  const service = program.command('service').description('Keep the service running, also after a restart.');
  service
    .command('install')
    .option('--as <user>', 'who runs it; for root, who installs a service of the whole machine')
    .option('--print', 'only show what would be written')
    .description('Start the service now and whenever the machine starts.')
    .addHelpText('after', '\nExample:\n  reborn service install\n  sudo reborn service install --as reborn')
    .action(install);
  service
    .command('uninstall')
    .description('Stop the service, and no longer start it with the machine.')
    .addHelpText('after', '\nExample:\n  reborn service uninstall')
    .action(uninstall);
  service
    .command('status')
    .description('Show whether the service runs.')
    .addHelpText('after', '\nExample:\n  reborn service status')
    .action(status);
}

/** `reborn logs`: what systemd or launchd keeps of the service's output. */
export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .option('--follow', 'continue with new lines until Ctrl+C')
    .option('--lines <number>', 'how many of the last lines', wholeNumber(1, 100_000), 100)
    .description('Print the log of the installed service.')
    .addHelpText('after', '\nExample:\n  reborn logs --follow')
    .action(printLogs);
}

function install({ as, print }: InstallOptions): Promise<void> {
  return runCommand(async () => {
    const manager = getManager();
    const text = manager.render(thisProgram(readConfig().home, chooseUser(as)));
    if (print) return printLine(text);

    requireRunning(manager);
    await mkdir(path.dirname(manager.file), { recursive: true });
    await writeFile(manager.file, text, { mode: 0o644 });
    for (const [program, ...words] of manager.enable) run(program, words);
    printLine(`Installed ${manager.file}, and started. ${manager.hint}`);
  });
}

function uninstall(): Promise<void> {
  return runCommand(async () => {
    const manager = getInstalled();
    for (const [program, ...words] of manager.disable) run(program, words);
    await rm(manager.file);
    printLine(`Stopped, and removed ${manager.file}. The data of the service is still there.`);
  });
}

function status(): Promise<void> {
  return runCommand(async () => {
    const [program, ...words] = getInstalled().status;
    process.exitCode = spawnSync(program, words, { stdio: 'inherit' }).status ?? 1;
  });
}

function printLogs(options: Omit<LogOptions, 'home'>): Promise<void> {
  return runCommand(async () => {
    const [program, ...words] = getInstalled().logs({ ...options, home: readConfig().home });
    process.exitCode = spawnSync(program, words, { stdio: 'inherit' }).status ?? 1;
  });
}

function getManager(): Manager {
  const manager = findManager(thisMachine());
  if (!manager)
    throw new Error('Only systemd and launchd are known. Let your system start `reborn serve` its own way.');
  return manager;
}

function getInstalled(): Manager {
  const manager = getManager();
  if (!existsSync(manager.file))
    throw new Error(
      'No service is installed. Install it: `reborn service install`. One that was started by hand logs where it was started.',
    );
  return manager;
}

function requireRunning(manager: Manager): void {
  const { platform, runsSystemd } = thisMachine();
  if (platform === 'linux' && !runsSystemd)
    throw new Error(
      `systemd does not run here. \`reborn service install --print\` shows what would go to ${manager.file}.`,
    );
}

function run(program: string, words: readonly string[]): void {
  const { status: code, error } = spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (code !== 0) throw new Error(`\`${[program, ...words].join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
}
