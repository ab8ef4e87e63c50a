import type { Client } from '@reborn-agent/client';
import type { ThreadList } from '@reborn-agent/client/api';
import type { Drafts } from '../drafts.ts';
import { oneLine } from '../screen/printable.ts';
import type { Screen } from '../screen/screen.ts';
import type { ThreadView } from '../thread-view.ts';
import type { Versions } from '../versions.ts';

type Chat = {
  readonly client: Client;
  readonly screen: Screen;
  readonly thread: ThreadView;
  readonly drafts: Drafts;
  readonly versions: Versions;
};

type Listed = ThreadList['threads'][number];

/** `/threads`: opens, pins or deletes threads, until the person goes back. */
export async function pickThread(chat: Chat): Promise<void> {
  const { threads } = await chat.client.call('GET /api/threads', { query: { limit: 100 } });
  if (threads.length === 0) return chat.thread.note('No threads yet. Type a message to start one.');
  const choices = threads.map(({ id, title, preview, status, pinned, updated_at: updatedAt }) => ({
    value: id,
    preview: oneLine(preview),
    label: nameOf(title),
    description: [pinned && 'pinned', status !== 'idle' && status, relative(updatedAt)].filter(Boolean).join(', '),
  }));
  const picked = await chat.screen.pickWith(['ctrl+t', 'delete'], TITLE, choices);
  const thread = threads.find(({ id }) => id === picked?.value);
  if (!thread) return;
  if (picked?.key === 'enter') return goTo(chat, thread.id, () => chat.thread.open(thread.id));
  if (picked?.key === 'delete') await deleteThread(chat, thread);
  else {
    const body = { pinned: !thread.pinned };
    await chat.client.call('PATCH /api/threads/{id}', { params: { id: thread.id }, body });
  }
  await pickThread(chat);
}

const TITLE = 'Open a thread (Enter opens, Ctrl+T pins, Delete deletes, Esc goes back)';

const nameOf = (title: string) => oneLine(title) || 'untitled';

async function deleteThread(chat: Chat, { id, title }: Listed): Promise<void> {
  const answer = await chat.screen.pick(`Delete “${nameOf(title)}” and everything in it? (Esc goes back)`, [
    { value: 'no', label: 'Keep it' },
    { value: 'yes', label: 'Delete it' },
  ]);
  if (answer !== 'yes') return;
  await chat.client.call('DELETE /api/threads/{id}', { params: { id } });
  if (chat.thread.now().threadId === id) await goTo(chat, undefined, () => chat.thread.begin());
  chat.thread.note(`Deleted “${nameOf(title)}”.`);
}

/** Goes to another thread, with the text that was being typed there. */
export async function goTo(
  { drafts, versions }: Pick<Chat, 'drafts' | 'versions'>,
  threadId: string | undefined,
  go: () => Promise<void> | void,
): Promise<void> {
  await drafts.change(threadId, go);
  versions.forget();
}

function relative(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} days ago`;
}
