import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import type { Role } from '#domain/principal.ts';
import type { User } from '#domain/user.ts';
import { withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';
import { addUserEraseCommand } from './user-erase.ts';
import { addUserExportCommand } from './user-export.ts';
import { addUserLimitCommand } from './user-limit.ts';
import { addUserMoveCommand } from './user-move.ts';

type Json = { readonly json?: true };
type AddOptions = Json & { readonly email?: string; readonly role: Role };

/** `reborn user`: who may ask. */
export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('Add, list, limit, export, remove and erase the people who may ask.');
  user
    .command('add')
    .argument('<name>', 'what to call them')
    .option('--email <address>', 'their email address, which single sign-on uses')
    .addOption(new Option('--role <role>', 'what they may do').choices(['operator', 'member']).default('member'))
    .option('--json', 'print JSON')
    .description('Add a user.')
    .addHelpText('after', '\nExample:\n  reborn user add Ann --email ann@example.com\n  reborn token create Ann')
    .action(addUser);
  user
    .command('list')
    .option('--json', 'print JSON')
    .description('List the users.')
    .addHelpText('after', '\nExample:\n  reborn user list --json')
    .action(listUsers);
  user
    .command('remove')
    .argument('<user>', 'an id, email or name')
    .option('--json', 'print JSON')
    .description('Remove a user. Their tokens stop working within seconds; their data stays until `reborn user erase`.')
    .addHelpText('after', '\nExample:\n  reborn user remove ann@example.com')
    .action(removeUser);
  addUserEraseCommand(user);
  addUserExportCommand(user);
  addUserMoveCommand(user);
  addUserLimitCommand(user);
}

function addUser(name: string, { email, role, json }: AddOptions): Promise<void> {
  return withAccounts(async ({ accounts }) => {
    if (name.trim() === '') throw new Error('The name is blank. Give the user a name.');
    if (email !== undefined && !z.email().safeParse(email).success)
      throw new Error(`"${email}" is not an email address. Write one such as ann@example.com.`);
    const user = await accounts.addUser(COMMAND_LINE, { name: name.trim(), email: email ?? null, role });
    if (json) return printRecord(user);
    printLine(`Added ${user.name} (${user.role}), id ${user.id}. Let them in with \`reborn token create ${user.id}\`.`);
  });
}

function listUsers({ json }: Json): Promise<void> {
  return withAccounts(async ({ accounts }) => {
    const users = await everyUser(accounts);
    if (json) return printRecord(users);
    if (users.length === 0) return printLine('There are no users yet. Add one with `reborn user add <name>`.');
    printTable([
      ['id', 'name', 'email', 'role'],
      ...users.map(({ id, name, email, role }) => [id, name, email ?? '', role]),
    ]);
  });
}

function removeUser(called: string, { json }: Json): Promise<void> {
  return withAccounts(async ({ accounts, getUser }) => {
    const user = await getUser(called);
    await accounts.removeUser(COMMAND_LINE, user.id);
    if (json) return printRecord(user);
    printLine(`Removed ${user.name}.`);
  });
}

const PAGE = 1000;

async function everyUser(accounts: Accounts): Promise<User[]> {
  const users: User[] = [];
  for (;;) {
    const page = await accounts.listUsers(COMMAND_LINE, { after: users.at(-1)?.id, limit: PAGE });
    users.push(...page);
    if (page.length < PAGE) return users;
  }
}
