import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { blob } from 'node:stream/consumers';
import type { Client } from '@reborn-agent/client';
import type { FileList, FileVersion } from '@reborn-agent/client/api';
import { formatMinute } from '@reborn-agent/client/format';
import type { Command } from 'commander';
import { inWords } from '#domain/workspace/changes.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { filePath, isTaken, readThreadFile, saveFile } from '#terminal/files/saved-file.ts';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printBytes, printJson, printLine, printNotice, printTable } from '../print.ts';
import { findNewestThread, findThread } from '../thread/find-thread.ts';
import { wholeNumber } from '../whole-number.ts';

type Options = { readonly thread?: string; readonly json?: true };
type GetOptions = Options & { readonly version?: number; readonly force?: true };

const EXAMPLE_ID = '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11';
const version = wholeNumber(0, 2_147_483_647);

/** `reborn file`: the files of a thread, in versions. */
export function addFileCommands(program: Command): void {
  const file = program.command('file').description('List, get, store and restore the files of a thread.');
  const command = (name: string) =>
    file.command(name).option('--thread <thread>', 'its id or title; the newest one when left out');
  command('list')
    .option('--version <number>', 'list the files of this version', version)
    .option('--json', 'print JSON')
    .description('List the files of a thread.')
    .addHelpText('after', `\nExamples:\n  reborn file list\n  reborn file list --thread ${EXAMPLE_ID} --version 2`)
    .action(listFiles);
  command('get')
    .argument('<path>', 'the path of the file in the thread')
    .argument('[target]', 'a file or folder on this machine, or - for stdout; the current folder when left out')
    .option('--version <number>', 'get the file as it was in this version', version)
    .option('--force', 'replace a file that exists')
    .description('Save a file of a thread on this machine.')
    .addHelpText('after', '\nExamples:\n  reborn file get data/costs.csv\n  reborn file get data/costs.csv - | head')
    .action(getFile);
  command('put')
    .argument('<file>', 'a file on this machine, or - for stdin')
    .argument('[path]', 'its path in the thread; the name of the file when left out')
    .option('--own', 'you wrote it, so the agent does not treat it as text by others')
    .option('--json', 'print JSON')
    .description('Store a file in a thread, as a new version.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn file put costs.csv data/costs.csv\n  date | reborn file put - now.txt --own',
    )
    .action(putFile);
  command('history')
    .argument('[path]', 'only versions that changed this file')
    .option('--limit <number>', 'how many', wholeNumber(1, 200), 20)
    .option('--json', 'print JSON')
    .description('List the versions of the files, newest first.')
    .addHelpText('after', '\nExample:\n  reborn file history data/costs.csv')
    .action(listHistory);
  command('restore')
    .argument('<version>', 'the number of the version', version)
    .argument('[path]', 'restore only this file')
    .option('--json', 'print JSON')
    .description('Restore the files of a version, as a new version.')
    .addHelpText('after', '\nExamples:\n  reborn file restore 3\n  reborn file restore 3 data/costs.csv')
    .action(restoreFiles);
}

function listFiles(options: Options & { readonly version?: number }): Promise<void> {
  return withThread(options, async (client, id) => {
    const list = await orMissing(
      client.call('GET /api/threads/{id}/files', { params: { id }, query: { version: options.version } }),
      NO_THREAD,
    );
    if (options.json) return printJson(list.files);
    if (list.files.length === 0) return printLine('The thread has no files.');
    printTable([
      ['path', 'size', 'version', 'text'],
      ...list.files.map((file) => [file.path, inWords(file.bytes), String(file.version), textOf(file.document)]),
    ]);
    printLine(totalOf(list));
  });
}

/** Whether the text can be searched and read by page. */
function textOf(document: FileList['files'][number]['document']): string {
  if (!document) return '';
  const { state, reason, pages, empty_pages: empty } = document;
  if (state === 'failed') return `failed: ${reason ?? ''}`;
  if (state === 'waiting') return state;
  return `ready, ${pages} ${pages === 1 ? 'page' : 'pages'}${empty > 0 ? `, ${empty} without text` : ''}`;
}

function getFile(given: string, target: string | undefined, options: GetOptions): Promise<void> {
  return withThread(options, async (client, id) => {
    const content = await readThreadFile(client, id, given, options.version);
    if (target === '-') return printBytes(content);
    const saved = await saveFile(given, content, { target, replace: options.force }).catch((error: unknown) => {
      throw isTaken(error) ? new Error('The file exists already. Choose another name, or give --force.') : error;
    });
    printLine(`Saved ${saved} (${inWords(content.length)}).`);
  });
}

function putFile(file: string, given: string | undefined, options: Options & { readonly own?: true }): Promise<void> {
  return withThread(options, async (client, id) => {
    if (file === '-' && given === undefined) throw new Error('Name the path that the text from stdin gets.');
    const target = normalizeFilePath(given ?? path.basename(file));
    const response = await orMissing(
      client.fetch(`${filePath(id, target)}?own=${options.own === true}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: await openFile(file),
      }),
      NO_THREAD,
    );
    const list = (await response.json()) as FileList;
    if (options.json) return printJson(list);
    printLine(`Stored ${target}. ${totalOf(list)}`);
  });
}

async function openFile(file: string): Promise<Blob> {
  if (file === '-') return blob(process.stdin);
  if (!(await stat(file)).isFile()) throw new Error(`${file} is not a file.`);
  return openAsBlob(file);
}

function listHistory(given: string | undefined, options: Options & { readonly limit: number }): Promise<void> {
  return withThread(options, async (client, id) => {
    const query = { limit: options.limit, path: given };
    const { versions } = await orMissing(
      client.call('GET /api/threads/{id}/file-versions', { params: { id }, query }),
      NO_THREAD,
    );
    if (options.json) return printJson(versions);
    if (versions.length === 0) return printLine(given ? `${given} never was a file.` : 'The thread has no files.');
    printTable([
      ['version', 'created', 'by', 'changes'],
      ...versions.map((each) => [
        String(each.version),
        formatMinute(each.created_at),
        CAUSES[each.cause],
        changesOf(each),
      ]),
    ]);
  });
}

const CAUSES: Record<FileVersion['cause'], string> = {
  call: 'the agent',
  message: 'a message',
  person: 'you',
  restore: 'a restore',
  copy: 'a copy of the thread',
};

const MOST_NAMED = 5;

function changesOf({ changes }: FileVersion): string {
  const named = changes.slice(0, MOST_NAMED).map(({ path: changed, removed }) => `${removed ? '-' : ''}${changed}`);
  return [...named, ...(changes.length > MOST_NAMED ? ['…'] : [])].join(', ');
}

function restoreFiles(restored: number, given: string | undefined, options: Options): Promise<void> {
  return withThread(options, async (client, id) => {
    const list = await client.call('POST /api/threads/{id}/file-versions/{version}/restore', {
      params: { id, version: restored },
      body: given === undefined ? {} : { path: given },
    });
    if (options.json) return printJson(list);
    printLine(`${given ?? 'All files'} as in version ${restored}. ${totalOf(list)}`);
  });
}

const totalOf = ({ version: now, files, bytes, quota_bytes: quota }: FileList) =>
  `Version ${now}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${inWords(bytes)} of ${inWords(quota)}.`;

const NO_THREAD = 'This thread does not exist. `reborn thread list` shows the ids.';

function withThread({ thread, json }: Options, act: (client: Client, thread: string) => Promise<void>): Promise<void> {
  return withClient(async (client) => {
    if (thread !== undefined) return act(client, await findThread(client, thread));
    const { id, title } = await findNewestThread(client);
    if (!json) printNotice(`Thread ${id}: ${title || 'Untitled'}`);
    await act(client, id);
  });
}
