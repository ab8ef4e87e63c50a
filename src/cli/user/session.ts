import type { Command } from 'commander';
import { z } from 'zod';
import { OPERATOR } from '#domain/principal.ts';
import { withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';

type Json = { readonly json?: true };

/** `reborn session`: signed-in browsers. */
export function addSessionCommands(program: Command): void {
  const session = program.command('session').description('List and revoke the sessions of browsers.');
  session
    .command('list')
    .argument('<user>', 'an id, email or name; operator for the operator of this home')
    .option('--json', 'print JSON')
    .description("List a user's sessions.")
    .addHelpText('after', '\nExample:\n  reborn session list ann@example.com')
    .action(listSessions);
  session
    .command('revoke')
    .argument('<id>', 'the id of the session')
    .option('--json', 'print JSON')
    .description('Revoke a session. It is refused everywhere within 5 seconds.')
    .addHelpText('after', '\nExample:\n  reborn session revoke 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(revokeSession);
}

function listSessions(called: string, { json }: Json): Promise<void> {
  return withAccounts(async ({ accounts, getUser }) => {
    const userId = called === OPERATOR.userId ? called : (await getUser(called)).id;
    const sessions = await accounts.listSessions(COMMAND_LINE, userId);
    if (json) return printRecord(sessions);
    if (sessions.length === 0) return printLine('There are no sessions.');
    printTable([
      ['id', 'signed in by', 'created', 'last seen', 'expires'],
      ...sessions.map(({ id, method, createdAt, lastSeenAt, expiresAt }) => [
        id,
        method,
        ...[createdAt, lastSeenAt, expiresAt].map((time) => time.toISOString()),
      ]),
    ]);
  });
}

function revokeSession(id: string, { json }: Json): Promise<void> {
  return withAccounts(async ({ accounts }) => {
    if (!z.uuid().safeParse(id).success)
      throw new Error('This is not the id of a session. `reborn session list <user>` shows the ids.');
    await accounts.revokeSession(COMMAND_LINE, id);
    if (json) return printRecord({ id });
    printLine('Revoked. It is refused everywhere within 5 seconds.');
  });
}
