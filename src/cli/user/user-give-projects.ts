import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printLine } from '../print.ts';
import { getUser } from './find-user.ts';

/** `reborn user give-projects`: before an owner is erased. */
export function addGiveProjectsCommand(user: Command): void {
  user
    .command('give-projects')
    .argument('<user>', 'the owner: an id, email or name')
    .argument('<member>', 'a member who may write in them: an id, email or name')
    .description('Give the projects of a user to a member who may write in them, such as before the user is erased.')
    .addHelpText('after', '\nExample:\n  reborn user give-projects Bob ann@example.com')
    .action(giveProjects);
}

function giveProjects(called: string, person: string): Promise<void> {
  return withClient(async (client) => {
    const { id, name } = await getUser(client, called);
    const { projects } = await client.call('POST /api/users/{id}/give-projects', { params: { id }, body: { person } });
    printLine(`${projects.length} ${projects.length === 1 ? 'project' : 'projects'} of ${name} given.`);
  });
}
