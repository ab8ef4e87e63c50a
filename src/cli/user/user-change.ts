import type { User } from '@reborn-agent/client/api';
import { type Command, Option } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine } from '../print.ts';
import { getUser } from './find-user.ts';

type ChangeOptions = { readonly name?: string; readonly role?: User['role']; readonly json?: true };

/** `reborn user change`: another name or role. */
export function addUserChangeCommand(user: Command): void {
  user
    .command('change')
    .argument('<user>', 'an id, email or name')
    .option('--name <name>', 'what to call them')
    .addOption(new Option('--role <role>', 'what they may do').choices(['operator', 'member']))
    .option('--json', 'print JSON')
    .description("Change a user's name or role. A role applies at once to their tokens and browsers.")
    .addHelpText('after', '\nExample:\n  reborn user change Ann --role operator')
    .action(changeUser);
}

function changeUser(called: string, { name, role, json }: ChangeOptions): Promise<void> {
  return withClient(async (client) => {
    if (name === undefined && role === undefined) throw new Error('Say what to change: --name, --role or both.');
    const { id } = await getUser(client, called);
    const user = await client.call('PATCH /api/users/{id}', {
      params: { id },
      body: { ...(name !== undefined && { name }), ...(role && { role }) },
    });
    if (json) return printJson(user);
    printLine(`${user.name} is ${user.role === 'operator' ? 'an operator' : 'a member'}.`);
  });
}
