import { useEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { createThreadStore, type ThreadStore } from './thread-store.ts';

/** The store of the thread that is shown. It follows the thread while the page is open. */
export function useThreadStore(threadId: string): ThreadStore {
  const { socket } = useServices();
  const [store] = useState(() =>
    createThreadStore({
      threadId,
      socket,
      fetchItems: (options) => client.call('GET /api/threads/{id}/items', { params: { id: threadId }, query: options }),
    }),
  );
  useEffect(() => {
    void store.open();
    return () => store.close();
  }, [store]);
  return store;
}

export const useThreadState = (store: ThreadStore) => useSyncExternalStore(store.subscribe, store.state);
