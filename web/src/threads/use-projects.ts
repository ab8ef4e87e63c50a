import type { Project } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

export function useProjects(): { readonly projects: readonly Project[]; readonly error: Error | null } {
  const { data, error } = useQuery({ queryKey: ['projects'], queryFn: () => client.call('GET /api/projects') });
  return { projects: data?.projects ?? [], error };
}

export function useCreateProject() {
  return useProjectChange((name: string) => client.call('POST /api/projects', { body: { name } }));
}

export function useRenameProject(id: string) {
  return useProjectChange((name: string) =>
    client.call('PATCH /api/projects/{id}', { params: { id }, body: { name } }),
  );
}

/** Its threads stay. */
export function useDeleteProject(id: string) {
  return useProjectChange((_: void) => client.call('DELETE /api/projects/{id}', { params: { id } }));
}

function useProjectChange<Given, Made>(mutationFn: (given: Given) => Promise<Made>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['projects'] }),
        queries.invalidateQueries({ queryKey: ['threads'] }),
      ]),
  });
}
