import type { ThreadChange } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { compactThread } from '#terminal/slash/compact-thread.ts';
import { isConfirmed } from '../confirm.ts';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printLine } from '../print.ts';
import { findThread } from './find-thread.ts';

export const NO_THREAD = 'This thread does not exist. `reborn thread list` shows all.';

/** `reborn thread rename`, `pin`, `unpin`, `archive`, `unarchive`, `compact` and `delete`. */
export function addThreadChanges(thread: Command): void {
  thread
    .command('rename')
    .argument('<thread>', 'the id or the title')
    .argument('<title>', 'the new title')
    .description('Give a thread another title.')
    .addHelpText('after', '\nExample:\n  reborn thread rename 3f2f8a9f "Trip to Oslo"')
    .action((given: string, title: string) => change(given, { title }, `Renamed to ${title}.`));
  addSwitch(thread, 'pin', 'Keep a thread at the top of the list.', { pinned: true }, 'Pinned.');
  addSwitch(thread, 'unpin', 'Put a thread back in its place by date.', { pinned: false }, 'No longer pinned.');
  addSwitch(thread, 'archive', 'Take a thread out of the list.', { archived: true }, 'Archived.');
  addSwitch(thread, 'unarchive', 'Put a thread back in the list.', { archived: false }, 'Back in the list.');
  thread
    .command('compact')
    .argument('<thread>', 'the id or the title')
    .option('--off', 'take it back')
    .description('Let the next message of a thread begin with a summary of what was said before.')
    .addHelpText('after', '\nExample:\n  reborn thread compact 3f2f8a9f')
    .action(compact);
  thread
    .command('delete')
    .argument('<thread>', 'the id or the title')
    .option('--yes', 'delete without asking')
    .description('Delete a thread and everything in it.')
    .addHelpText('after', '\nExample:\n  reborn thread delete 3f2f8a9f --yes')
    .action(deleteThread);
}

function addSwitch(thread: Command, verb: string, description: string, body: ThreadChange, said: string): void {
  thread
    .command(verb)
    .argument('<thread>', 'the id or the title')
    .description(description)
    .addHelpText('after', `\nExample:\n  reborn thread ${verb} 3f2f8a9f`)
    .action((given: string) => change(given, body, said));
}

function change(given: string, body: ThreadChange, said: string): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findThread(client, given) };
    await orMissing(client.call('PATCH /api/threads/{id}', { params, body }), NO_THREAD);
    printLine(said);
  });
}

function compact(given: string, { off }: { readonly off?: true }): Promise<void> {
  return withClient(async (client) => {
    const id = await findThread(client, given);
    printLine(await orMissing(compactThread(client, id, !off), NO_THREAD));
  });
}

function deleteThread(given: string, options: { readonly yes?: true }): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findThread(client, given) };
    const { title } = await orMissing(client.call('GET /api/threads/{id}', { params }), NO_THREAD);
    if (!(await isConfirmed(`Delete "${title}" and everything in it?`, options)))
      return printLine('Nothing was deleted.');
    await orMissing(client.call('DELETE /api/threads/{id}', { params }), NO_THREAD);
    printLine('Deleted.');
  });
}
