import { ApiError, type Client } from '@reborn-agent/client';
import { formatMinute } from '@reborn-agent/client/format';
import { describeRead, readBeforeNote } from '@reborn-agent/client/gate-card';
import { oneLine } from '../screen/printable.ts';
import type { ThreadView } from '../thread-view.ts';

type Chat = { readonly client: Client; readonly thread: Pick<ThreadView, 'note'> };

/** `/memory words` searches the notes; `/memory history path` shows the versions of one, and `/memory undo path` goes back by one. */
export async function runMemoryCommand(chat: Chat, argument: string): Promise<void> {
  const [, act, path] = /^(history|undo)\s+(\S+)$/.exec(argument) ?? [];
  if (path === undefined) return searchNotes(chat, argument);
  try {
    await (act === 'undo' ? undoNote(chat, path) : showHistory(chat, path));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    chat.thread.note(`There never was a note ${path}.`);
  }
}

async function searchNotes(chat: Chat, words: string): Promise<void> {
  const { results } = await chat.client.call('GET /api/memory', { query: { q: words, limit: 10 } });
  if (results.length === 0) return chat.thread.note(words ? 'No note fits these words.' : 'No notes yet.');
  chat.thread.note(results.map(({ path: note, text }) => `${note}: ${oneLine(text).slice(0, 200)}`).join('\n'));
}

async function showHistory(chat: Chat, path: string): Promise<void> {
  const { versions } = await readVersions(chat, path);
  const lines = versions.map(({ version, text, written_at: at, written_by: by, sources }) => {
    const after = sources.length > 0 ? `, after reading ${describeRead(readBeforeNote(sources))}` : '';
    const words = text === null ? '(deleted)' : oneLine(text).slice(0, 200);
    return `${version}  ${formatMinute(at)}  ${AUTHORS[by]}${after}\n   ${words}`;
  });
  chat.thread.note([path, ...lines].join('\n'));
}

const AUTHORS = { person: 'by you', agent: 'by the agent', unknown: 'author unknown' };

async function undoNote(chat: Chat, path: string): Promise<void> {
  const [, before] = (await readVersions(chat, path)).versions;
  if (!before) return chat.thread.note(`${path} has one version. There is nothing to undo.`);
  const call = { params: { path }, body: { version: before.version } };
  const { text } = await chat.client.call('POST /api/note-versions/{path}', call);
  chat.thread.note(`${path}: ${oneLine(text).slice(0, 200)}`);
}

const readVersions = (chat: Chat, path: string) =>
  chat.client.call('GET /api/note-versions/{path}', { params: { path } });
