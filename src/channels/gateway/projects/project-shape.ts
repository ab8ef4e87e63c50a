import { z } from 'zod';
import type { FullProject } from '#agent/projects/projects.ts';
import type { People } from '#auth/people.ts';
import type { ProjectId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Project, ProjectNote } from '#domain/work/project.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { shownBudgets, shownWork } from '../work-fields.ts';

export const projectParams = z.object({ id: uuid<ProjectId>('This project does not exist.') });

const person = z
  .strictObject({
    id: z.string().nullable().describe('null for somebody who was erased.'),
    name: z.string().nullable(),
    you: z.boolean(),
  })
  .meta({ id: 'ProjectPerson' });

export const project = z
  .strictObject({
    id: z.uuid(),
    name: z.string().describe('As the caller calls it.'),
    role: z
      .enum(['owner', 'read', 'write'])
      .describe('What the caller may do with instructions, notes and files. Only the owner shares and deletes.'),
    owner: person,
    is_shared: z.boolean(),
    model: shownWork.model.describe("The caller's default for new threads in it."),
    assistant: z.string().nullable().describe("Who answers in the caller's new threads in it."),
    ...shownBudgets,
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export const fullProject = project
  .extend({
    instructions: z
      .strictObject({ text: z.string(), written_by: person, updated_at: z.iso.datetime() })
      .nullable()
      .describe('Part of every prompt. Those that another person wrote count as text by others.'),
  })
  .meta({ id: 'FullProject' });

export const projectNote = z
  .strictObject({
    path: z.string(),
    text: z.string(),
    written_by: person.describe('To everybody else it counts as a text by others.'),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ProjectNote' });

type Named = ReadonlyMap<string, string>;

export const namesIn = (people: People, ids: readonly (string | null)[]): Promise<Named> =>
  people.namesOf([...new Set(ids.filter((id) => id !== null))]);

const renderPerson = (id: string | null, names: Named, { userId }: Principal): z.infer<typeof person> => ({
  id,
  name: (id !== null && names.get(id)) || null,
  you: id === userId,
});

export const renderProject = (found: Project, names: Named, caller: Principal): z.infer<typeof project> =>
  renderAs(project, found, { owner: renderPerson(found.ownerId, names, caller) });

export const renderNote = (found: ProjectNote, names: Named, caller: Principal): z.infer<typeof projectNote> =>
  renderAs(projectNote, found, { written_by: renderPerson(found.writtenBy, names, caller) });

export async function renderFull(
  people: People,
  found: FullProject,
  caller: Principal,
): Promise<z.infer<typeof fullProject>> {
  const { instructions } = found;
  const names = await namesIn(people, [found.ownerId, instructions?.writtenBy ?? null]);
  return {
    ...renderProject(found, names, caller),
    instructions: instructions
      ? {
          text: instructions.text,
          written_by: renderPerson(instructions.writtenBy, names, caller),
          updated_at: instructions.updatedAt.toISOString(),
        }
      : null,
  };
}
