import type { Command } from 'commander';
import { installToolFile } from './tool-install.ts';
import { addToolKitCommands } from './tool-kit.ts';
import { listTools, removeInstalled, showTool } from './tool-list.ts';
import { authorizeTool, setUpTool } from './tool-secrets.ts';

/** `reborn tool`: what the agent can do, and what it needs for that. */
export function addToolCommands(program: Command): void {
  const tool = program.command('tool').description('Install sandboxed tools, and write your own.');
  tool
    .command('install')
    .argument('<wasm_file>', 'the component')
    .option('--capabilities <file>', 'what it may reach; without one it can reach nothing')
    .option('--name <name>', 'what the model calls it; by default the name of the file')
    .option('--reads', 'it only reads, and keeps what it is asked to itself: it runs also after text by others')
    .option('--force', 'replace a tool of the same name')
    .option('--yes', "don't ask before installing")
    .option('--json', 'print JSON')
    .description('Check a tool, show what it may do, and install it on every replica.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn tool install dist/weather.wasm --capabilities weather.capabilities.json --name weather --reads',
    )
    .action(installToolFile);
  tool
    .command('list')
    .option('--json', 'print JSON')
    .description('List the tools of the agent.')
    .addHelpText('after', '\nExample:\n  reborn tool list --json')
    .action(listTools);
  tool
    .command('info')
    .argument('<tool-name>', 'the name of the tool')
    .option('--json', 'print JSON')
    .description('Show what a tool is for, and what it may do.')
    .addHelpText('after', '\nExample:\n  reborn tool info weather')
    .action(showTool);
  tool
    .command('remove')
    .argument('<tool-name>', 'the name of the tool')
    .description('Remove a tool. Its secrets stay.')
    .addHelpText('after', '\nExample:\n  reborn tool remove weather')
    .action(removeInstalled);
  tool
    .command('auth')
    .argument('<tool-name>', 'the name of the tool')
    .option('--user <id>', 'for this user alone; for everyone, when left out')
    .description('Give a tool its credential: by sign-in, or by a token that is typed without being shown.')
    .addHelpText('after', '\nExample:\n  reborn tool auth github\n  reborn tool auth github < token-file')
    .action(authorizeTool);
  tool
    .command('setup')
    .argument('<tool-name>', 'the name of the tool')
    .option('--user <id>', 'for this user alone; for everyone, when left out')
    .description('Give a tool the secrets that it needs before it can be used.')
    .addHelpText('after', '\nExample:\n  reborn tool setup github')
    .action(setUpTool);
  addToolKitCommands(tool);
}
