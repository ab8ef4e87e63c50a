import { type ItemId, idFor, newId, type ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { cut } from '#domain/text/cut.ts';
import { firstWords } from '#domain/text/first-words.ts';
import { type NewItem, text, textByOthers } from '#domain/thread/item.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type ImportedThread, insertImportedThread } from '#store/imports/imported-threads.ts';
import { type ForeignChat, type ForeignMessage, readChatGpt } from './read-chatgpt.ts';

export type ChatImports = ReturnType<typeof createChatImports>;

/** `known`: it was imported before, and stays as it is. `empty`: nothing was said in it. */
export type ChatImport =
  | { readonly state: 'imported' | 'known'; readonly threadId: ThreadId }
  | { readonly state: 'empty' | 'unreadable'; readonly threadId: null };

/** Makes threads of conversations that a person had elsewhere. */
export function createChatImports(db: Database, engine: Pick<Engine, 'notifyThread'>) {
  async function importChat(owner: Principal, chat: ForeignChat | undefined, isOwn: boolean): Promise<ChatImport> {
    if (!chat) return { state: 'unreadable', threadId: null };
    if (chat.messages.length === 0) return { state: 'empty', threadId: null };
    const thread = toThread(owner, chat, isOwn);
    const isNew = await withOwner(db, owner, (trx) => insertImportedThread(trx, owner, thread));
    if (isNew) engine.notifyThread({ threadId: thread.id, userId: owner.userId });
    return { state: isNew ? 'imported' : 'known', threadId: thread.id };
  }

  return {
    /**
     * Conversations of ChatGPT's export, one transaction each: an import that was cut off is repeated from its start, and
     * makes no thread twice. `isOwn`: the person says that they wrote the messages of the user in it.
     */
    async fromChatGpt(owner: Principal, given: readonly unknown[], isOwn: boolean): Promise<ChatImport[]> {
      const made: ChatImport[] = [];
      for (const each of given) made.push(await importChat(owner, readChatGpt(each, new Date()), isOwn));
      return made;
    },
  };
}

const SOURCE = 'ChatGPT';
const LONGEST_TITLE = 300;

/** The id of the thread follows from that of the conversation, so that it exists once for each person. */
function toThread({ userId }: Principal, chat: ForeignChat, isOwn: boolean): ImportedThread {
  const said = chat.messages.map((message) => ({ item: toItem(message, isOwn), at: message.at }));
  const items = said.map(({ item }) => item);
  return {
    id: idFor<ThreadId>(JSON.stringify([SOURCE, userId, chat.id]), chat.createdAt.getTime()),
    title: toTitle(chat.title),
    archived: chat.isArchived,
    createdAt: chat.createdAt,
    updatedAt: chat.updatedAt,
    ...firstWords(items),
    bytes: Buffer.byteLength(JSON.stringify(items)),
    said,
  };
}

/** No one can see who wrote a file: the answers count as text by others, and so do the messages unless the person answers for them. */
const toItem = ({ role, text: words }: ForeignMessage, isOwn: boolean): NewItem => ({
  id: newId<ItemId>(),
  type: 'message',
  role,
  content: [role === 'user' && isOwn ? text(words) : textByOthers(words, SOURCE)],
  status: 'completed',
});

/** PostgreSQL can't store lone surrogates and U+0000, and titles are one line. */
const toTitle = (title: string): string | null =>
  cut(
    title
      .toWellFormed()
      .replace(/\p{Control}+/gu, ' ')
      .trim(),
    LONGEST_TITLE,
  ) || null;
