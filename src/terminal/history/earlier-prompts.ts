import type { Client } from '@reborn-agent/client';
import { ownTextOf } from '@reborn-agent/client/message-text';

/** How many threads are looked into, and how far. */
const THREADS = 3;
const ITEMS = 40;

type Prompt = { readonly threadId: string; readonly text: string };

export type EarlierPrompts = ReturnType<typeof createEarlierPrompts>;

/** What the person has written last in other chats, so that Up brings it back in a new one, too. */
export function createEarlierPrompts(client: Client) {
  let found: readonly Prompt[] = [];

  async function readThread(threadId: string): Promise<Prompt[]> {
    const { items } = await client.call('GET /api/threads/{id}/items', {
      params: { id: threadId },
      query: { limit: ITEMS },
    });
    return items.flatMap((item) => {
      const isOwn = item.type === 'message' && item.role === 'user' && item.author === undefined;
      const text = isOwn ? ownTextOf(item.content) : '';
      return text === '' ? [] : [{ threadId, text }];
    });
  }

  return {
    async load(): Promise<void> {
      const query = { channel: 'chat', limit: THREADS } as const;
      const { threads } = await client.call('GET /api/threads', { query });
      found = (await Promise.all(threads.toReversed().map(({ id }) => readThread(id)))).flat();
    },
    /** Oldest first, without those of the thread that is open. */
    outside: (threadId: string | undefined): string[] =>
      found.filter((prompt) => prompt.threadId !== threadId).map(({ text }) => text),
  };
}
