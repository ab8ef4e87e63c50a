import type { Client } from '@reborn-agent/client';
import { escapeInvisible } from '@reborn-agent/client/exact-json';
import { inWords } from '#domain/workspace/changes.ts';
import type { ThreadView } from '../thread-view.ts';
import { isTaken, readThreadFile, saveFile } from './saved-file.ts';

type Chat = { readonly client: Client; readonly thread: Pick<ThreadView, 'now' | 'note'> };

/** How many files `/files` names. */
const MOST_NAMED = 100;

/** `/files`: the files of the thread. */
export async function listFiles(chat: Chat): Promise<void> {
  const id = chat.thread.now().threadId;
  const { version, files } = id
    ? await chat.client.call('GET /api/threads/{id}/files', { params: { id } })
    : { version: 0, files: [] };
  if (files.length === 0) return chat.thread.note('The thread has no files.');
  const named = files.slice(0, MOST_NAMED).map(({ path, bytes }) => `${escapeInvisible(path)}  ${inWords(bytes)}`);
  if (files.length > MOST_NAMED) named.push(`and ${files.length - MOST_NAMED} more: \`reborn file list\``);
  chat.thread.note([...named, `Version ${version}. /get PATH saves a file here.`].join('\n'));
}

/** `/get PATH [TARGET]`: saves a file on this machine. */
export async function getFile(chat: Chat, argument: string): Promise<void> {
  const id = chat.thread.now().threadId;
  const [, quoted, word, target] = /^(?:"([^"]+)"|(\S+))(?:\s+(.+))?$/.exec(argument) ?? [];
  const path = quoted ?? word;
  if (path === undefined) return chat.thread.note('Name a file: /get data/costs.csv, or /get "my notes.md" folder/');
  if (!id) return chat.thread.note('The thread has no files.');
  const content = await readThreadFile(chat.client, id, path);
  const saved = await saveFile(path, content, { target }).catch((error: unknown) => {
    throw isTaken(error) ? new Error('The file exists. Name another one: /get PATH other-name') : error;
  });
  chat.thread.note(`Saved ${escapeInvisible(saved)} (${inWords(content.length)}).`);
}

/** `/undo`: the files as they were before the newest version. That is a version, too, so a second `/undo` takes it back. */
export async function undoFiles(chat: Chat): Promise<void> {
  const id = chat.thread.now().threadId;
  const query = { limit: 1 };
  const [newest] = id
    ? (await chat.client.call('GET /api/threads/{id}/file-versions', { params: { id }, query })).versions
    : [];
  if (!id || !newest) return chat.thread.note('No file change to undo.');
  const { version } = await chat.client.call('POST /api/threads/{id}/file-versions/{version}/restore', {
    params: { id, version: newest.version - 1 },
    body: {},
  });
  const undone = newest.changes.map(({ path }) => escapeInvisible(path)).join(', ');
  chat.thread.note(`Undone: ${undone}. The files are as in version ${newest.version - 1}; this is version ${version}.`);
}
