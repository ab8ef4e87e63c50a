import type { Command } from 'commander';
import { readSkillFolder } from '#tools/skills/read-skill-folder.ts';
import { orMissing, withClient } from './connect/with-client.ts';
import { printJson, printLine, printTable } from './print.ts';

type ForUser = { readonly user?: string };

/** `reborn skill`: what the agent can read up on. */
export function addSkillCommands(program: Command): void {
  const skill = program.command('skill').description('Manage skills: texts that tell the agent how to do a task.');
  const user = ['--user <id>', 'for this user alone, such as me; for everyone, when left out'] as const;
  skill
    .command('add')
    .argument('<folder>', 'a folder with a SKILL.md')
    .option(...user)
    .description('Add a skill, or replace the one of its name, on every replica.')
    .addHelpText('after', '\nExample:\n  reborn skill add ./release-notes')
    .action(addSkill);
  skill
    .command('list')
    .option('--user <id>', 'as this user sees them')
    .option('--json', 'print JSON')
    .description('List the skills that the agent can read.')
    .addHelpText('after', '\nExample:\n  reborn skill list')
    .action(listAdded);
  skill
    .command('remove')
    .argument('<name>', 'its name')
    .option(...user)
    .description('Remove a skill.')
    .addHelpText('after', '\nExample:\n  reborn skill remove release-notes')
    .action(removeSkill);
}

function addSkill(folder: string, { user }: ForUser): Promise<void> {
  return withClient(async (client) => {
    const { name, description, files } = await readSkillFolder(folder);
    const listed = Object.entries(files).map(([path, text]) => ({ path, text }));
    await client.call('POST /api/skills', { body: { files: listed, for: user ?? 'everyone', replace: true } });
    printLine(`Added. The agent can read up on ${name}: ${description}`);
  });
}

function listAdded({ user, json }: ForUser & { readonly json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { skills } = await client.call('GET /api/skills', { query: { for: user } });
    if (json) return printJson(skills);
    if (skills.length === 0) return printLine('No skills yet. `reborn skill add` adds one.');
    printTable([
      ['name', 'from', 'description'],
      ...skills.map(({ name, source, description }) => [name, source, description.slice(0, 80)]),
    ]);
  });
}

function removeSkill(name: string, { user }: ForUser): Promise<void> {
  return withClient(async (client) => {
    const removed = client.call('DELETE /api/skills/{name}', { params: { name }, query: { for: user ?? 'everyone' } });
    await orMissing(removed, `The skill "${name}" does not exist. \`reborn skill list\` shows all skills.`);
    printLine(`Removed. The agent has no skill "${name}" any more.`);
  });
}
