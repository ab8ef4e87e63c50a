import { Argument, type Command, Option } from 'commander';
import { listPolicies, setPolicy, unsetPolicy } from '#agent/gates/policy-settings.ts';
import { SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import { TOOL_LEVELS, type ToolLevel } from '#domain/tool/tool.ts';
import { COMMAND_LINE, type OpenedDatabase, withDatabase } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';
import { findNearName, listToolNames } from './tool-names.ts';

/** `reborn policy`: which tools may run at once, which ask first, and which never run. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('Say which tools may run, ask first, or never run.');
  policy
    .command('set')
    .argument('<tool>', 'the name of the tool')
    .addArgument(new Argument('<level>', 'whether its calls may be made').choices(TOOL_LEVELS))
    .addOption(
      new Option('--after <situation>', 'how far allow goes: also after text by others, or with private data besides')
        .choices(SITUATIONS)
        .default('clean'),
    )
    .option('--not-yet', 'the tool is installed later')
    .description('Set the level of a tool. It comes before what the tool says of itself, and before "always".')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn policy set github ask\n  reborn policy set label_issue allow --after foreign',
    )
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

type SetOptions = { readonly after: Situation; readonly notYet?: true };

function setLevel(tool: string, level: ToolLevel, { after, notYet }: SetOptions): Promise<void> {
  return withDatabase(async (opened) => {
    if (!notYet) await requireTool(tool, opened);
    await setPolicy(opened.db, { tool, level, after }, COMMAND_LINE.userId);
    printLine(`${tool}: ${MEANING[level]}${level === 'allow' ? REACH[after] : ''}`);
  });
}

/** With a slip of the pen, an operator would believe that a tool is off. */
async function requireTool(given: string, opened: OpenedDatabase): Promise<void> {
  const [tool = '', ...user] = given.split('@'); // a user whose calls are forbidden, see `policy list`
  const names = await listToolNames(opened);
  if (names.includes(tool)) return;
  const near = findNearName(tool, names);
  const advice = near
    ? `Did you mean "${[near, ...user].join('@')}"?`
    : 'If it is to be installed later, add --not-yet.';
  throw new Error(`There is no tool "${tool}". ${advice}`);
}

const MEANING: Record<ToolLevel, string> = {
  allow: 'its calls are made at once',
  ask: 'each of its calls has to be approved.',
  never: 'none of its calls is made.',
};

const REACH: Record<Situation, string> = {
  clean: ', unless the agent has read text by others before.',
  foreign: ', also after the agent has read text by others.',
  both: ', also after the agent has read text by others and private data.',
};

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
    printTable([
      ['tool', 'level', 'after'],
      ...policies.map(({ tool, level, after }) => [tool, level, level === 'allow' ? after : '']),
    ]);
  });
}
