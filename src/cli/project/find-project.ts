import type { Client } from '@reborn-agent/client';
import type { Project } from '@reborn-agent/client/api';
import { findId } from '../find-named.ts';

/** The project that a person names by its name, its id or a part of it. */
export async function findProject(client: Client, called: string): Promise<Project> {
  const { projects } = await client.call('GET /api/projects');
  const id = await findId(called, async () => projects, { kind: 'project', list: 'reborn project list' });
  const found = projects.find((project) => project.id === id);
  if (!found) throw new Error(`The project "${called}" does not exist. \`reborn project list\` shows all.`);
  return found;
}
