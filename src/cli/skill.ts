import type { Command } from 'commander';
import { audited } from '#store/audit.ts';
import { type Owner, withOwner } from '#store/connection.ts';
import { deleteSkill, EVERYONE, listSkills, putSkill } from '#store/tools/skills.ts';
import { readSkillFolder } from '#tools/skills/read-skill-folder.ts';
import { COMMAND_LINE, withDatabase } from './connect/with-database.ts';
import { printLine, printRecord, printTable } from './print.ts';

type ForUser = { readonly user?: string };

/** `reborn skill`: what the agent can read up on. */
export function addSkillCommands(program: Command): void {
  const skill = program.command('skill').description('Manage skills: texts that tell the agent how to do a task.');
  const user = ['--user <id>', 'for this user alone; for everyone, when left out'] as const;
  skill
    .command('add')
    .argument('<folder>', 'a folder with a SKILL.md')
    .option(...user)
    .description('Add a skill, or replace the one of its name, on every replica.')
    .addHelpText('after', '\nExample:\n  reborn skill add ./release-notes')
    .action(addSkill);
  skill
    .command('list')
    .option(...user)
    .option('--json', 'print JSON')
    .description('List the skills that were added.')
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

function addSkill(folder: string, options: ForUser): Promise<void> {
  return withDatabase(async ({ db }) => {
    const skill = await readSkillFolder(folder);
    const owner = ownerOf(options);
    await withOwner(db, owner, (trx) =>
      audited(trx, (writing) => putSkill(writing, owner, skill), entryOf('skill.add', skill.name, owner)),
    );
    printLine(`Added. The agent can read up on ${skill.name}: ${skill.description}`);
  });
}

function listAdded(options: ForUser & { readonly json?: true }): Promise<void> {
  return withDatabase(async ({ db }) => {
    const owner = ownerOf(options);
    const skills = await withOwner(db, owner, (trx) => listSkills(trx, owner));
    if (options.json) return printRecord(skills);
    if (skills.length === 0) return printLine('No skills were added. `reborn skill add` adds one.');
    printTable([['name', 'description'], ...skills.map(({ name, description }) => [name, description.slice(0, 80)])]);
  });
}

function removeSkill(name: string, options: ForUser): Promise<void> {
  return withDatabase(async ({ db }) => {
    const owner = ownerOf(options);
    await withOwner(db, owner, async (trx) => {
      const entry = entryOf('skill.remove', name, owner);
      const removed = await audited(trx, (writing) => deleteSkill(writing, owner, name), entry);
      if (!removed) throw new Error(`There is no skill "${name}". \`reborn skill list\` shows what there is.`);
    });
    printLine(`Removed. The agent has no skill "${name}" any more.`);
  });
}

const entryOf = (action: string, subject: string, owner: Owner) => ({
  actor: COMMAND_LINE.userId,
  action,
  subject,
  detail: { for: owner === EVERYONE ? 'everyone' : owner.userId },
});

const ownerOf = ({ user }: ForUser) => (user === undefined ? EVERYONE : { userId: user });
