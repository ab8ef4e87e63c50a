import { createClient } from '@reborn-agent/client';
import type { User } from '@reborn-agent/client/api';
import { formatMinute } from '@reborn-agent/client/format';
import { type Command, Option } from 'commander';
import { readConfig } from '#config/config.ts';
import { findRunning } from '../connect/with-service.ts';
import { printJson, printLine, printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';

type InviteOptions = { readonly role: User['role']; readonly for?: string; readonly json?: true };

/** `reborn user invite`: a link that makes a person a user. */
export function addUserInviteCommand(user: Command): void {
  user
    .command('invite')
    .addOption(new Option('--role <role>', 'what they may do').choices(['operator', 'member']).default('member'))
    .option('--for <name>', 'whom it is meant for, as operators see it until it is used')
    .option('--json', 'print JSON')
    .description('Print a link that makes one person a user and signs their browser in, once, within 7 days.')
    .addHelpText('after', '\nExample:\n  reborn user invite --for Ann')
    .action(inviteUser);
}

/** The link leads to a running service, so none is started for it. */
function inviteUser({ role, for: name, json }: InviteOptions): Promise<void> {
  return runCommand(async () => {
    const locate = await findRunning(readConfig());
    if (!locate) throw new Error('The service is not running. `reborn serve` starts it.');
    const body = { role, name: name ?? null };
    const invitation = await createClient(locate).call('POST /api/invitations', { body });
    if (json) return printJson(invitation);
    printNotice(
      `An invitation as ${role}, valid until ${formatMinute(invitation.expires_at)}. It works once, and is not shown again:`,
    );
    printLine(invitation.url);
  });
}
