import type { Settings } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

/** Changes the settings, and everything on the screen that depends on them. */
export function useChangeSettings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { model_routes?: Settings['model_routes']; default_route?: string | null }) =>
      client.call('PATCH /api/settings', { body }),
    onSuccess: async (changed) => {
      queries.setQueryData(['settings'], changed);
      await queries.invalidateQueries({ queryKey: ['models'] });
      await queries.invalidateQueries({ queryKey: ['me'] });
    },
  });
}
