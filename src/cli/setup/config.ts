import type { Command } from 'commander';
import { explainOptions, findHome, findProblem } from '#config/config.ts';
import { options } from '#config/options.ts';
import { changeSettings, readSettings, settingsFile } from '#config/settings-file.ts';
import { askingSecrets } from '../ask-secret.ts';
import { printJson, printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';

/** `reborn config`: every option, where its value comes from, and what it is for. */
export function addConfigCommands(program: Command): void {
  const config = program
    .command('config')
    .option('--json', 'print JSON')
    .description('Show every option with its value, its source and its meaning; secrets stay hidden.')
    .addHelpText(
      'after',
      '\nEnvironment variables take precedence over settings.env in REBORN_HOME.\n\nExamples:\n  reborn config\n  reborn config set GATEWAY_PORT 4000\n  reborn config set LLM_API_KEY < key.txt\n\nExit codes: 0 all went well, 1 something failed.',
    )
    .action((given: { json?: true }) => runCommand(async () => showOptions(given)));
  config
    .command('get')
    .argument('<name>', 'the name of the option')
    .description('Print the value of one option; that of a secret is not shown.')
    .addHelpText('after', '\nExample:\n  reborn config get GATEWAY_PORT')
    .action((name: string) => runCommand(async () => getOption(name)));
  config
    .command('set')
    .argument('<name>', 'the name of the option')
    .argument('[value]', 'left out: asked for, or read from stdin, as secrets should be')
    .description('Save a value in settings.env.')
    .addHelpText('after', '\nExample:\n  reborn config set LOG_LEVEL debug')
    .action((name: string, value: string | undefined) => runCommand(() => setOption(name, value)));
  config
    .command('unset')
    .argument('<name>', 'the name of the option')
    .description('Remove a value from settings.env.')
    .addHelpText('after', '\nExample:\n  reborn config unset LOG_LEVEL')
    .action((name: string) => runCommand(() => unsetOption(name)));
}

function showOptions({ json }: { json?: true }): void {
  const explained = explainOptions();
  if (json) return printJson(explained);
  for (const { name, value, source, help } of explained) {
    const { unset } = options[name as keyof typeof options] as { unset?: string };
    printLine(`${name}=${value ?? ''}`);
    printLine(`    ${source}${value === null && unset ? `: ${unset}` : ''}. ${help}`);
  }
}

function getOption(name: string): void {
  const found = findOption(name);
  if (found.secret && found.value !== null) {
    const where = found.source === 'environment' ? 'the environment' : found.source;
    throw new Error(`${name} is set in ${where}. It is a secret, so its value is not shown.`);
  }
  printLine(found.value ?? '');
}

function findOption(name: string) {
  const found = explainOptions().find((option) => option.name === name);
  if (!found) throw new Error(`Unknown option ${name}. \`reborn config\` lists them all.`);
  return found;
}

async function setOption(name: string, given: string | undefined): Promise<void> {
  if (name === 'REBORN_HOME') throw new Error('REBORN_HOME says where settings.env is. Set it in the environment.');
  const value = given ?? (await askFor(name));
  const wrong = findProblem(name, value);
  if (wrong) throw new Error(wrong);
  const home = findHome();
  await changeSettings(home, { [name]: value });
  printLine(`Saved in ${settingsFile(home)}. Restart a running service to apply it.`);
}

async function askFor(name: string): Promise<string> {
  const terminal = { input: process.stdin, output: process.stderr };
  const value = await askingSecrets(terminal, (ask) => ask(`The value of ${name}`));
  if (!value) throw new Error('No value was given. Type it, or pipe it in.');
  return value;
}

async function unsetOption(name: string): Promise<void> {
  const home = findHome();
  if (!Object.hasOwn(readSettings(home), name)) findOption(name); // what other versions have stored can be removed, too
  await changeSettings(home, { [name]: undefined });
  printLine(`${name} is no longer in ${settingsFile(home)}.`);
}
