import { formatMinute } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { getAnyone } from './find-user.ts';

type Json = { readonly json?: true };

/** `reborn session`: signed-in browsers. */
export function addSessionCommands(program: Command): void {
  const session = program.command('session').description('List and revoke the sessions of browsers.');
  session
    .command('list')
    .argument('<user>', 'an id, email or name; me for yourself; operator for the operator')
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
  return withClient(async (client) => {
    const { id: userId } = await getAnyone(client, called);
    const { sessions } = await client.call('GET /api/users/{id}/sessions', { params: { id: userId } });
    if (json) return printJson(sessions);
    if (sessions.length === 0) return printLine('No sessions.');
    printTable([
      ['id', 'signed in by', 'created', 'last seen', 'expires'],
      ...sessions.map(({ id, method, created_at: created, last_seen_at: seen, expires_at: expires }) => [
        id,
        method,
        ...[created, seen, expires].map((time) => formatMinute(time)),
      ]),
    ]);
  });
}

function revokeSession(id: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    await client.call('DELETE /api/sessions/{id}', { params: { id } });
    if (json) return printJson({ id });
    printLine('Revoked. It is refused everywhere within 5 seconds.');
  });
}
