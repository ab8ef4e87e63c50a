import { Argument, type Command, Option } from 'commander';
import { SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import { TOOL_LEVELS, type ToolLevel } from '#domain/tool/tool.ts';
import { orMissing, withClient } from './connect/with-client.ts';
import { printJson, printLine, printTable } from './print.ts';

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
    .description("Set the level of a tool. It overrides the tool's own level and standing approvals.")
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
  return withClient(async (client) => {
    const body = { level, after, not_yet: notYet ?? false };
    await client.call('PUT /api/tool-policies/{tool}', { params: { tool }, body });
    printLine(`${tool}: ${MEANING[level]}${level === 'allow' ? REACH[after] : ''}`);
  });
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
  return withClient(async (client) => {
    const missing = `No level is set for "${tool}". \`reborn policy list\` shows what there is.`;
    await orMissing(client.call('DELETE /api/tool-policies/{tool}', { params: { tool } }), missing);
    printLine(`${tool} uses its own level again.`);
  });
}

function listLevels({ json }: { json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { policies } = await client.call('GET /api/tool-policies');
    if (json) return printJson(policies);
    if (policies.length === 0)
      return printLine('No levels are set: tools that only read may run, and all others ask. See `reborn policy set`.');
    printTable([
      ['tool', 'level', 'after'],
      ...policies.map(({ tool, level, after }) => [tool, level, level === 'allow' ? after : '']),
    ]);
  });
}
