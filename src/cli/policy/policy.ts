import { Argument, type Command } from 'commander';
import { listPolicies, setPolicy, unsetPolicy } from '#agent/gates/policy-settings.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { TOOL_LEVELS, type ToolLevel } from '#domain/tool/tool.ts';
import type { Database } from '#store/connection.ts';
import { findTool } from '#store/tools/tools.ts';
import { COMMAND_LINE, withDatabase } from './connect/with-database.ts';
import { printLine, printRecord, printTable } from './print.ts';

/** `reborn policy`: which tools may run at once, which ask first, and which never run. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('Say which tools may run, ask first, or never run.');
  policy
    .command('set')
    .argument('<tool>', 'the name of the tool')
    .addArgument(new Argument('<level>', 'whether its calls may be made').choices(TOOL_LEVELS))
    .description('Set the level of a tool. It comes before what the tool says of itself, and before "always".')
    .addHelpText('after', '\nExample:\n  reborn policy set github ask')
    .action(setLevel);
  policy
    .command('unset')
    .argument('<tool>', 'the name of the tool')
    .description('Let the level of the tool itself hold again.')
    .addHelpText('after', '\nExample:\n  reborn policy unset send_mail')
    .action(unsetLevel);
  policy
    .command('list')
    .option('--json', 'print JSON')
    .description('List the levels that were set.')
    .addHelpText('after', '\nExample:\n  reborn policy list')
    .action(listLevels);
}

function setLevel(tool: string, level: ToolLevel): Promise<void> {
  return withDatabase(async ({ db }) => {
    await setPolicy(db, { tool, level }, COMMAND_LINE.userId);
    printLine(`${tool}: ${MEANING[level]}`);
    if (!(await isKnown(db, tool)))
      printLine(`There is no tool "${tool}" now. The level applies once it is installed.`);
  });
}

const MEANING: Record<ToolLevel, string> = {
  allow: 'its calls are made at once.',
  ask: 'each of its calls has to be approved.',
  never: 'none of its calls is made.',
};

async function isKnown(db: Database, name: string): Promise<boolean> {
  return isReservedName(name) || (await findTool(db, name)) !== undefined;
}

function unsetLevel(tool: string): Promise<void> {
  return withDatabase(async ({ db }) => {
    if (!(await unsetPolicy(db, tool, COMMAND_LINE.userId)))
      throw new Error(`No level is set for "${tool}". \`reborn policy list\` shows what there is.`);
    printLine(`${tool}: its own level holds again.`);
  });
}

function listLevels({ json }: { json?: true }): Promise<void> {
  return withDatabase(async ({ db }) => {
    const policies = await listPolicies(db);
    if (json) return printRecord(policies);
    if (policies.length === 0)
      return printLine('No levels are set: tools that only read may run, and all others ask. See `reborn policy set`.');
    printTable([['tool', 'level'], ...policies.map(({ tool, level }) => [tool, level])]);
  });
}
