import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import type { ToolPreview } from '@reborn-agent/client/api';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine } from '../print.ts';
import { findTool } from './tool-list.ts';

type InstallOptions = {
  readonly capabilities?: string;
  readonly name?: string;
  readonly reads?: true;
  readonly force?: true;
  readonly yes?: true;
  readonly json?: true;
};

export function installToolFile(wasmFile: string, options: InstallOptions): Promise<void> {
  return withClient(async (client) => {
    const { json } = options;
    const reads = options.reads ?? false;
    const body = {
      name: options.name ?? path.basename(wasmFile, '.wasm'),
      wasm: (await readFileOrExplain(wasmFile)).toString('base64'),
      capabilities: options.capabilities ? (await readFileOrExplain(options.capabilities)).toString('utf8') : null,
      reads,
    };
    const preview = await client.call('POST /api/tools', { body: { ...body, dry_run: true } });
    if (!json) tellOf(preview, reads);
    if (!options.yes && !(await isConfirmed(preview.name, options))) throw new Error('Not installed.');

    const { name, hash, replaces } = await client.call('POST /api/tools', {
      body: { ...body, replace: options.force ?? false },
    });
    if (json) return printJson({ name, hash, replaced: replaces });
    printLine(replaces ? `Replaced the tool "${name}".` : `Installed the tool "${name}".`);
    const tool = await findTool(client, name);
    if (tool && tool.secrets.length > 0) printLine(`Next: reborn tool setup ${name}`);
    if (tool?.auth) printLine(`Next: reborn tool auth ${name}`);
  });
}

function tellOf({ name, description, capabilities, warnings }: ToolPreview, reads: boolean): void {
  printLine(`The tool "${name}":`);
  printLine(`- It says to the model: ${description}`);
  for (const { text } of capabilities) printLine(`- ${text}`);
  printLine(`- ${reads ? READS : ASKS}`);
  for (const warning of warnings) printLine(`Note: ${warning}`);
}

const READS = 'You say that it only reads: its calls run also after the agent has read text by others.';
const ASKS = 'After the agent has read text by others, each of its calls has to be approved.';

async function isConfirmed(name: string, { json }: InstallOptions): Promise<boolean> {
  if (!process.stdin.isTTY || json) throw new Error('Not installed without a confirmation. Add --yes to install it.');
  const answer = await confirm({ message: `Install ${name}?` });
  return !isCancel(answer) && answer;
}

async function readFileOrExplain(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`${file} does not exist.`, { cause: error });
    throw new Error(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
