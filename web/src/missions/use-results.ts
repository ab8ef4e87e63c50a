import type { Routes } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

/** A run ends a moment after its thread, and the service reports threads only. */
const REFRESH_MS = 15_000;
/** How many new ones the first page shows. */
const SHOWN = 5;

/** The results that were not read, and how many they are in all. */
export function useNewResults() {
  return useQuery({
    queryKey: ['mission-results', 'new'],
    queryFn: () => client.call('GET /api/mission-results', { query: { unread: 'true', limit: SHOWN } }),
    refetchInterval: REFRESH_MS,
  });
}

/** All, those of a thread, or one. */
export function useMarkRead() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (which: Routes['POST /api/mission-results/read']['body']) =>
      client.call('POST /api/mission-results/read', { body: which }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['mission-results'] }),
  });
}
