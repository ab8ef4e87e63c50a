import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { gateway } from '../client/gateway.ts';

/** The person's threads, in the order in which the gateway tells them. */
export function useThreads(options: { readonly q: string; readonly archived: boolean }) {
  return useInfiniteQuery({
    queryKey: ['threads', options],
    queryFn: ({ pageParam }) => gateway.threads({ ...options, ...(pageParam !== '' && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (shown) => shown,
  });
}

export function useChangeThread(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Parameters<typeof gateway.changeThread>[1]) => gateway.changeThread(id, change),
    onSuccess: (thread) => {
      queries.setQueryData(['thread', id], thread);
      return queries.invalidateQueries({ queryKey: ['threads'] });
    },
  });
}

export function useDeleteThread(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => gateway.deleteThread(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['threads'] }),
  });
}
