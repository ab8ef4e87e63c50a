import type { Thread, ThreadChange } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../client/client.ts';
import { useHiddenThreads } from './delete-threads.ts';
import { forEachThread } from './for-each-thread.ts';

export type ThreadsShown = {
  readonly q: string;
  readonly archived: boolean;
  /** Where the threads began; undefined for all. */
  readonly channel?: Thread['channel'] | undefined;
  /** The id of a project, `none` for threads in no project; undefined for all. */
  readonly project?: string | undefined;
};

/** The person's threads, pinned first, then newest. */
export function useThreads({ q, archived, channel, project }: ThreadsShown) {
  const hidden = useHiddenThreads();
  return useInfiniteQuery({
    queryKey: ['threads', { q, archived, channel, project }],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/threads', {
        query: { q, channel, project, archived: archived ? 'true' : undefined, limit: 100, cursor: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (shown) => shown,
    select: ({ pages, ...rest }) => ({
      ...rest,
      pages: pages.map((page) => ({ ...page, threads: page.threads.filter(({ id }) => !hidden.has(id)) })),
    }),
  });
}

export function useChangeThread(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ThreadChange) => client.call('PATCH /api/threads/{id}', { params: { id }, body }),
    onSuccess: (thread) => {
      queries.setQueryData(['thread', id], thread);
      return queries.invalidateQueries({ queryKey: ['threads'] });
    },
  });
}

/** Lets the next message of a thread begin with a summary of what was said before, or takes that back. */
export function useCompactThread(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (asks: boolean) =>
      asks
        ? client.call('POST /api/threads/{id}/compact', { params: { id } })
        : client.call('DELETE /api/threads/{id}/compact', { params: { id } }),
    onSuccess: (thread) => queries.setQueryData(['thread', id], thread),
  });
}

/** While a thread is on the screen, its answers count as read, also those that come meanwhile. */
export function useReadThread(thread: Thread | undefined) {
  const { mutate: change } = useChangeThread(thread?.id ?? '');
  const unread = thread?.unread ? thread : undefined;
  useEffect(() => {
    if (!unread) return;
    const seen = new AbortController();
    const read = () => {
      if (document.visibilityState !== 'visible') return;
      seen.abort();
      change({ read: true });
    };
    document.addEventListener('visibilitychange', read, { signal: seen.signal });
    read();
    return () => seen.abort();
  }, [unread, change]);
}

/** Archives, restores or moves many threads. */
export function useManyThreads() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, change }: { ids: readonly string[]; change: ThreadChange }) =>
      forEachThread(ids, (id) => client.call('PATCH /api/threads/{id}', { params: { id }, body: change })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['threads'] }),
  });
}
