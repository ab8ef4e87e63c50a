import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@reborn-agent/client';
import { formatCost, formatMinute } from '@reborn-agent/client/format';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { orMissing, withClient } from '../connect/with-client.ts';
import { shortId } from '../find-named.ts';
import { printJson, printLine, printPiece, printTable } from '../print.ts';
import { findProject } from '../project/find-project.ts';
import { wholeNumber } from '../whole-number.ts';
import { addThreadChanges, NO_THREAD } from './change-thread.ts';
import { findThread } from './find-thread.ts';
import { addChatImport } from './import-chats.ts';

type Json = { readonly json?: true };
type ListOptions = Json & { readonly archived?: true; readonly project?: string; readonly limit: number };
type Format = 'markdown' | 'json';

const EXAMPLE_ID = '3f2f8a9f';

/** `reborn thread`: the operator's threads. */
export function addThreadCommands(program: Command): void {
  const thread = program.command('thread').description('List, show, change, export, import and share threads.');
  thread
    .command('list')
    .argument('[words...]', 'list only threads whose title or messages contain these words')
    .option('--archived', 'list the archived threads instead')
    .option('--project <name>', 'list only the threads of this project')
    .option('--limit <number>', 'how many', wholeNumber(1, 100), 20)
    .option('--json', 'print JSON')
    .description('List the threads: pinned first, then newest.')
    .addHelpText('after', '\nExamples:\n  reborn thread list\n  reborn thread list database migration --limit 5')
    .action(listThreads);
  thread
    .command('show')
    .argument('<thread>', 'the id or the title')
    .option('--json', 'print JSON')
    .description('Print a thread as Markdown.')
    .addHelpText('after', `\nExample:\n  reborn thread show ${EXAMPLE_ID} | less`)
    .action(showThread);
  thread
    .command('export')
    .argument('<thread>', 'the id or the title')
    .argument('<file>', 'a new file that ends in .md or .json', toExportFile)
    .description('Save a thread as Markdown, or as JSON with its images and files.')
    .addHelpText('after', `\nExample:\n  reborn thread export ${EXAMPLE_ID} thread.json`)
    .action(exportThread);
  thread
    .command('share')
    .argument('<thread>', 'the id or the title')
    .option('--tools', 'include calls of tools, with their arguments and results')
    .option('--attachments', 'include images and files')
    .option('--new-link', 'make another link, and end the old one')
    .option('--json', 'print JSON')
    .description('Share a thread as it is now. Anyone with the link can read it.')
    .addHelpText('after', `\nExample:\n  reborn thread share ${EXAMPLE_ID}`)
    .action(shareThread);
  thread
    .command('unshare')
    .argument('<thread>', 'the id or the title')
    .description('End the link of a thread.')
    .addHelpText('after', `\nExample:\n  reborn thread unshare ${EXAMPLE_ID}`)
    .action(unshareThread);
  thread
    .command('network')
    .argument('<thread>', 'the id or the title')
    .addArgument(
      new Argument('<state>', 'whether its code may reach the hosts of SANDBOX_HOSTS').choices(['on', 'off']),
    )
    .description('Let the code of a thread reach hosts, or no longer.')
    .addHelpText('after', `\nExample:\n  reborn thread network ${EXAMPLE_ID} on`)
    .action(setNetwork);
  addChatImport(thread);
  addThreadChanges(thread);
}

function listThreads(words: readonly string[], { archived, project, limit, json }: ListOptions): Promise<void> {
  return withClient(async (client) => {
    const query = {
      q: words.join(' '),
      limit,
      ...(archived && { archived: 'true' as const }),
      ...(project !== undefined && { project: (await findProject(client, project)).id }),
    };
    const { threads } = await client.call('GET /api/threads', { query });
    if (json) return printJson(threads);
    if (threads.length === 0) return printLine(words.length > 0 ? 'Nothing was found.' : 'No threads yet.');
    printTable([
      ['id', 'updated', 'state', 'cost', 'title'],
      ...threads.map(({ id, updated_at: updated, status, usage, title }) => [
        shortId(id),
        formatMinute(updated),
        status,
        formatCost(usage.cost_usd),
        title || 'Untitled',
      ]),
    ]);
  });
}

function showThread(id: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    if (json) return printJson(JSON.parse(await load(client, id, 'json')));
    printPiece(await load(client, id, 'markdown'));
  });
}

function exportThread(id: string, file: string): Promise<void> {
  return withClient(async (client) => {
    const content = await load(client, id, file.endsWith('.json') ? 'json' : 'markdown');
    await writeFile(file, content, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Error(`${file} exists already. Choose another name.`);
      if (code === 'ENOENT') throw new Error(`There is no folder ${path.dirname(file)}.`);
      throw error;
    });
    printLine(`Saved ${file}.`);
  });
}

type ShareOptions = Json & { readonly tools?: true; readonly attachments?: true; readonly newLink?: true };

function shareThread(given: string, { tools, attachments, newLink, json }: ShareOptions): Promise<void> {
  return withClient(async (client) => {
    const body = {
      include_tools: tools ?? false,
      include_attachments: attachments ?? false,
      new_link: newLink ?? false,
    };
    const made = await orMissing(
      client.call('PUT /api/threads/{id}/share', { params: { id: await findThread(client, given) }, body }),
      NO_THREAD,
    );
    if (json) return printJson(made);
    if (made.url === null)
      return printLine(
        'The page shows the thread as it is now. Its link can not be read any more; --new-link makes one.',
      );
    printLine(made.url);
    printLine('Anyone with this link can read the thread as it is now.');
  });
}

function unshareThread(given: string): Promise<void> {
  return withClient(async (client) => {
    const missing = 'The thread is not shared. `reborn thread list` shows the ids of threads.';
    await orMissing(
      client.call('DELETE /api/threads/{id}/share', { params: { id: await findThread(client, given) } }),
      missing,
    );
    printLine('The link no longer works.');
  });
}

function setNetwork(given: string, state: 'on' | 'off'): Promise<void> {
  return withClient(async (client) => {
    const body = { network: state === 'on' };
    const changed = await orMissing(
      client.call('PATCH /api/threads/{id}', { params: { id: await findThread(client, given) }, body }),
      NO_THREAD,
    );
    if (!changed.network) return printLine('Code of the thread has no network.');
    const { code_hosts: hosts } = await client.call('GET /api/me');
    printLine(
      `Code of the thread can reach ${hosts.join(', ')}. Calls that use it ask first once there is something to send.`,
    );
  });
}

async function load(client: Client, given: string, format: Format): Promise<string> {
  const id = await findThread(client, given);
  const route = `/api/threads/${encodeURIComponent(id)}/export?format=${format}`;
  const response = await orMissing(client.fetch(route), NO_THREAD);
  return response.text();
}

function toExportFile(given: string): string {
  if (!/\.(?:md|json)$/.test(given)) throw new InvalidArgumentError('It must end in .md or .json.');
  return given;
}
