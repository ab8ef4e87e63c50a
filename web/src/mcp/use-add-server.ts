import type { McpServer, McpServerAdd } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

/** Names a server among the user's own and everyone's. */
export const keyOf = (server: Pick<McpServer, 'for' | 'name'>) => `${server.for}:${server.name}`;

/** Adds a server. `onAdded` runs when the lists have it. */
export function useAddServer(onAdded: (server: McpServer) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: McpServerAdd) => client.call('POST /api/mcp', { body }),
    onSuccess: async (server) => {
      await Promise.all(['mcp', 'tools'].map((each) => queries.invalidateQueries({ queryKey: [each] })));
      onAdded(server);
    },
  });
}
