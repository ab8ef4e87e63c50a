import type { FullProject, Project, ProjectChange } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';

const PROJECTS = ['projects'];
const keyOf = (id: string) => ['project', id, 'settings'];

export function useProjects(): { readonly projects: readonly Project[]; readonly error: Error | null } {
  const { data, error } = useQuery({ queryKey: PROJECTS, queryFn: () => client.call('GET /api/projects') });
  return { projects: data?.projects ?? [], error };
}

/** A project with its instructions. */
export const useProject = (id: string) =>
  useQuery({ queryKey: keyOf(id), queryFn: () => client.call('GET /api/projects/{id}', { params: { id } }) });

export function useCreateProject() {
  return useProjectsChange((name: string) => client.call('POST /api/projects', { body: { name } }));
}

export function useChangeProject(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ProjectChange) => client.call('PATCH /api/projects/{id}', { params: { id }, body }),
    onSuccess: (changed: FullProject) => {
      queries.setQueryData(keyOf(id), changed);
      return queries.invalidateQueries({ queryKey: PROJECTS });
    },
  });
}

/** Its threads stay. */
export function useDeleteProject(id: string) {
  return useProjectsChange((_: void) => client.call('DELETE /api/projects/{id}', { params: { id } }));
}

function useProjectsChange<Given, Made>(mutationFn: (given: Given) => Promise<Made>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: PROJECTS }),
        queries.invalidateQueries({ queryKey: ['threads'] }),
      ]),
  });
}
