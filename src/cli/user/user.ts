import { type Command, Option } from 'commander';
import type { Role } from '#domain/principal.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { getUser, listUsers } from './find-user.ts';
import { addUserChangeCommand } from './user-change.ts';
import { addUserEraseCommand } from './user-erase.ts';
import { addUserExportCommand } from './user-export.ts';
import { addGiveProjectsCommand } from './user-give-projects.ts';
import { addUserInviteCommand } from './user-invite.ts';
import { addUserLimitCommand } from './user-limit.ts';
import { addUserMoveCommand } from './user-move.ts';

type Json = { readonly json?: true };
type AddOptions = Json & { readonly email?: string; readonly role: Role };

/** `reborn user`: who may ask. */
export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('Manage users: add, invite, list, change, limit, export, remove and erase them.');
  user
    .command('add')
    .argument('<name>', 'what to call them')
    .option('--email <address>', 'their email address, which single sign-on uses')
    .addOption(new Option('--role <role>', 'what they may do').choices(['operator', 'member']).default('member'))
    .option('--json', 'print JSON')
    .description('Add a user.')
    .addHelpText('after', '\nExample:\n  reborn user add Ann --email ann@example.com\n  reborn token create Ann')
    .action(addUser);
  addUserInviteCommand(user);
  user
    .command('list')
    .option('--json', 'print JSON')
    .description('List the users.')
    .addHelpText('after', '\nExample:\n  reborn user list --json')
    .action(showUsers);
  addUserChangeCommand(user);
  user
    .command('remove')
    .argument('<user>', 'an id, email or name')
    .option('--json', 'print JSON')
    .description('Remove a user. Their tokens stop working within seconds; their data stays until `reborn user erase`.')
    .addHelpText('after', '\nExample:\n  reborn user remove ann@example.com')
    .action(removeUser);
  addUserEraseCommand(user);
  addGiveProjectsCommand(user);
  addUserExportCommand(user);
  addUserMoveCommand(user);
  addUserLimitCommand(user);
}

function addUser(name: string, { email, role, json }: AddOptions): Promise<void> {
  return withClient(async (client) => {
    const user = await client.call('POST /api/users', { body: { name, email: email ?? null, role } });
    if (json) return printJson(user);
    printLine(`Added ${user.name} (${user.role}), id ${user.id}. Let them in with \`reborn token create ${user.id}\`.`);
  });
}

function showUsers({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const users = await listUsers(client);
    if (json) return printJson(users);
    if (users.length === 0) return printLine('No users yet. Add one with `reborn user add <name>`.');
    printTable([
      ['id', 'name', 'email', 'role'],
      ...users.map(({ id, name, email, role }) => [id, name, email ?? '', role]),
    ]);
  });
}

function removeUser(called: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const user = await getUser(client, called);
    await client.call('DELETE /api/users/{id}', { params: { id: user.id } });
    if (json) return printJson(user);
    printLine(`Removed ${user.name}.`);
  });
}
