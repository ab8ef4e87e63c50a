import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { packageFile } from '#program-files.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';

/** `reborn tool new | build | test`: the author's kit. It is loaded only here, since it brings a compiler along. */
export function addToolKitCommands(tool: Command): void {
  tool
    .command('new')
    .argument('<folder>', 'where to begin it; the last part is its name')
    .description('Begin a tool in TypeScript, with a test and a capabilities file.')
    .addHelpText('after', '\nExample:\n  reborn tool new stars && cd stars && reborn tool test && reborn tool build')
    .action((folder: string) => runCommand(() => begin(folder)));
  tool
    .command('build')
    .argument('[folder]', 'the folder of the tool', '.')
    .description('Compile a tool to a component.')
    .addHelpText('after', '\nExample:\n  reborn tool build stars')
    .action((folder: string) => runCommand(() => build(folder)));
  tool
    .command('test')
    .argument('[folder]', 'the folder of the tool', '.')
    .description("Run a tool's tests.")
    .addHelpText('after', '\nExample:\n  reborn tool test stars')
    .action((folder: string) => runCommand(() => test(folder)));
}

async function begin(folder: string): Promise<void> {
  const { newTool } = await import('../../../sdk/src/new-tool.ts');
  await newTool(path.resolve(folder), path.basename(path.resolve(folder)));
  printLine(`Made ${folder}. Edit src/tool.ts; \`reborn tool test ${folder}\` runs its test.`);
}

async function build(folder: string): Promise<void> {
  const { buildTool } = await import('../../../sdk/src/build-tool.ts').catch(explainMissing);
  const { path: file, bytes } = await buildTool(path.resolve(folder));
  printLine(`${path.relative('.', file)} (${Math.ceil(bytes / 1024)} KiB)`);
}

async function test(folder: string): Promise<void> {
  const { testTool } = await import('../../../sdk/src/test-tool.ts');
  if (!(await testTool(path.resolve(folder)))) throw new Error('A test failed.');
}

/** The published package leaves the compiler to those who write tools. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const { peerDependencies = {} } = packageJson as { peerDependencies?: Readonly<Record<string, string>> };
  const command = compilerCommand(packageFile('.'), peerDependencies);
  throw new Error(`To build tools, install their compiler, once: \`${command}\``, { cause: error });
}

/** Installs the compiler where the package at `root` finds it: in the `node_modules` that the package is in. */
export function compilerCommand(root: string, compilers: Readonly<Record<string, string>>): string {
  const holder = path.dirname(path.dirname(path.resolve(root)));
  const isGlobal = path.basename(holder) === 'lib' && !existsSync(path.join(holder, 'package.json'));
  const where = isGlobal ? `--global --prefix "${path.dirname(holder)}"` : `--prefix "${holder}"`;
  return ['npm install', where, ...Object.entries(compilers).map((each) => each.join('@'))].join(' ');
}
