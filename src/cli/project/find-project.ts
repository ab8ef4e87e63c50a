import type { Client } from '@reborn-agent/client';
import type { Project } from '@reborn-agent/client/api';

/** The project with this name or id. */
export async function findProject(client: Client, called: string): Promise<Project> {
  const { projects } = await client.call('GET /api/projects');
  const wanted = called.trim().toLowerCase();
  const found = projects.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
  if (found.length > 1) throw new Error(`More than one project is called "${called}". Give its id.`);
  if (found[0]) return found[0];
  const names = projects.map(({ name }) => `"${name}"`).join(', ');
  throw new Error(
    `The project "${called}" does not exist. ${names ? `The projects are ${names}.` : '`reborn project create` makes one.'}`,
  );
}
