import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { findFlags } from '#safety/inspect.ts';
import { describeCapabilities } from '#tools/component/capabilities/describe-capabilities.ts';
import { type Installation, installTool, prepareTool } from '#tools/component/install-tool.ts';
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { printJson, printLine } from '../print.ts';

type InstallOptions = {
  readonly capabilities?: string;
  readonly name?: string;
  readonly reads?: true;
  readonly force?: true;
  readonly yes?: true;
  readonly json?: true;
};

export function installToolFile(wasmFile: string, options: InstallOptions): Promise<void> {
  return withDatabase(async ({ db }) => {
    const installation = await prepareTool({
      name: options.name ?? path.basename(wasmFile, '.wasm'),
      wasm: await readFileOrExplain(wasmFile),
      capabilities: options.capabilities && (await readFileOrExplain(options.capabilities)).toString('utf8'),
      isTaken: isReservedName,
      reads: options.reads ?? false,
    });
    if (!options.json) await tellOf(installation);
    if (!options.yes && !(await isConfirmed(installation.name, options))) throw new Error('Not installed.');

    const before = await installTool(db, installation, {
      force: options.force ?? false,
      actor: COMMAND_LINE.userId,
    });
    const { name, component } = installation;
    if (options.json) return printJson({ name, hash: component.hash, replaced: before?.hash ?? null });
    printLine(before ? `Replaced the tool "${name}".` : `Installed the tool "${name}".`);
    const { auth, setup } = installation.capabilities;
    if (setup.requiredSecrets.length > 0) printLine(`Next: reborn tool setup ${name}`);
    if (auth) printLine(`Next: reborn tool auth ${name}`);
  });
}

async function tellOf({ name, capabilities, component, warnings, reads }: Installation): Promise<void> {
  printLine(`The tool "${name}":`);
  printLine(`- It says to the model: ${component.description}`);
  for (const { text } of describeCapabilities(capabilities)) printLine(`- ${text}`);
  printLine(`- ${reads ? READS : ASKS}`);
  for (const warning of warnings) printLine(`Note: ${warning}`);
  if ((await findFlags(`${component.description}\n${component.schema}`)).length > 0)
    printLine(
      'Warning: the description reads like an order to the model. While it is installed, every call is asked for.',
    );
}

const READS = 'You say that it only reads: its calls run also after the agent has read text by others.';
const ASKS = 'After the agent has read text by others, each of its calls has to be approved.';

async function isConfirmed(name: string, { json }: InstallOptions): Promise<boolean> {
  if (!process.stdin.isTTY || json) throw new Error('Not installed: nobody was asked. Add --yes to install it.');
  const answer = await confirm({ message: `Install ${name}?` });
  return !isCancel(answer) && answer;
}

async function readFileOrExplain(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Error(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
