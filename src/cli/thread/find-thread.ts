import type { Client } from '@reborn-agent/client';
import type { Thread } from '@reborn-agent/client/api';
import { readPages } from '../connect/with-client.ts';
import { findId } from '../find-named.ts';

const PAGE = 100;

/** The id of the thread that a person names by its id, a part of it or its title. */
export function findThread(client: Client, given: string): Promise<string> {
  const readAll = async () => [...(await readThreads(client, 'false')), ...(await readThreads(client, 'true'))];
  return findId(given, readAll, { kind: 'thread', list: 'reborn thread list' });
}

/** Pinned threads come first in the list, so the first row is not always the newest. */
export async function findNewestThread(client: Client): Promise<Thread> {
  const { threads } = await client.call('GET /api/threads', { query: { limit: PAGE } });
  const [newest] = threads.toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  if (!newest) throw new Error('No threads yet. `reborn ask` starts one.');
  return newest;
}

function readThreads(client: Client, archived: 'true' | 'false'): Promise<{ id: string; name: string }[]> {
  return readPages(async (cursor) => {
    const query = { archived, limit: PAGE, ...(cursor && { cursor }) };
    const { threads, next_cursor: next } = await client.call('GET /api/threads', { query });
    return { rows: threads.map(({ id, title }) => ({ id, name: title })), next };
  });
}
