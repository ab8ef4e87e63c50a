import type { ThreadChange } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

/** The person's threads, pinned first, then newest. */
export function useThreads({ q, archived }: { readonly q: string; readonly archived: boolean }) {
  return useInfiniteQuery({
    queryKey: ['threads', { q, archived }],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/threads', {
        query: { q, archived: archived ? 'true' : undefined, limit: 100, cursor: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (shown) => shown,
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

export function useDeleteThread(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.call('DELETE /api/threads/{id}', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['threads'] }),
  });
}
