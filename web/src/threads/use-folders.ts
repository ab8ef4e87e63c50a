import type { Folder } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

export function useFolders(): { readonly folders: readonly Folder[]; readonly error: Error | null } {
  const { data, error } = useQuery({ queryKey: ['folders'], queryFn: () => client.call('GET /api/folders') });
  return { folders: data?.folders ?? [], error };
}

export function useCreateFolder() {
  return useFolderChange((name: string) => client.call('POST /api/folders', { body: { name } }));
}

export function useRenameFolder(id: string) {
  return useFolderChange((name: string) => client.call('PATCH /api/folders/{id}', { params: { id }, body: { name } }));
}

/** Its threads stay. */
export function useDeleteFolder(id: string) {
  return useFolderChange((_: void) => client.call('DELETE /api/folders/{id}', { params: { id } }));
}

function useFolderChange<Given, Made>(mutationFn: (given: Given) => Promise<Made>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['folders'] }),
        queries.invalidateQueries({ queryKey: ['threads'] }),
      ]),
  });
}
