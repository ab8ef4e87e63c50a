import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type ProjectId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import {
  INSTRUCTIONS,
  MAX_PROJECTS,
  type Project,
  type ProjectNote,
  type ProjectSettings,
} from '#domain/work/project.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { deleteMember } from '#store/projects/project-members.ts';
import { deleteProjectNote, findProjectNote, writeProjectNote } from '#store/projects/project-notes.ts';
import {
  deleteProject,
  findProject,
  holdProject,
  insertProject,
  isProjectNameTaken,
  listProjects,
  updateProject,
} from '#store/projects/projects.ts';
import { getByName } from '../assistants/assistants.ts';

export type Projects = ReturnType<typeof createProjects>;

type Changes = Partial<ProjectSettings & Pick<Project, 'name' | 'assistant'>> & {
  /** null removes them. */
  readonly instructions?: string | null;
};

/** A project with what every prompt of its threads contains. */
export type FullProject = Project & { readonly instructions: ProjectNote | undefined };

/** The projects of a person, and those that others share with them. Missing and foreign projects both throw `NotFound`. */
export function createProjects(db: Database) {
  const get = (owner: Principal, id: ProjectId): Promise<FullProject> =>
    withOwner(db, owner, async (trx) => {
      const project = await requireProject(trx, owner, id);
      return { ...project, instructions: await findProjectNote(trx, project, INSTRUCTIONS) };
    });

  return {
    get,

    list: (owner: Principal): Promise<Project[]> => withOwner(db, owner, (trx) => listProjects(trx, owner)),

    async create(owner: Principal, name: string, changes: Omit<Changes, 'name'> = {}): Promise<FullProject> {
      const id = newId<ProjectId>();
      await withOwner(db, owner, async (trx) => {
        await checkName(trx, owner, name);
        const own = (await listProjects(trx, owner)).filter(({ role }) => role === 'owner');
        if (own.length >= MAX_PROJECTS)
          throw new InvalidRequest('invalid_request', 'name', `You may have ${MAX_PROJECTS} projects. Delete one.`);
        await insertProject(trx, owner, { id, name });
        await applyChanges(trx, owner, id, changes);
      });
      return get(owner, id);
    },

    async change(owner: Principal, id: ProjectId, changes: Changes): Promise<FullProject> {
      await withOwner(db, owner, async (trx) => {
        await requireProject(trx, owner, id);
        if (changes.name !== undefined) await checkName(trx, owner, changes.name, id);
        await holdProject(trx, owner, id); // a member's name and settings are in their own row
        await applyChanges(trx, owner, id, changes);
      });
      return get(owner, id);
    },

    /** Of the owner's, everything that is shared goes with it. A member leaves it. Threads stay, in no project. */
    remove: (owner: Principal, id: ProjectId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        const { role, ownerId } = await requireProject(trx, owner, id);
        if (role !== 'owner')
          await audited(trx, (writing) => deleteMember(writing, ownerId, id, owner.userId), {
            actor: owner.userId,
            action: 'project.leave',
            subject: id,
            detail: {},
          });
        await deleteProject(trx, owner, id);
      }),
  };
}

export async function requireProject(trx: OwnedTransaction, owner: Principal, id: ProjectId): Promise<Project> {
  const project = await findProject(trx, owner, id);
  if (!project) throw new NotFound('This project does not exist.');
  return project;
}

/** A project where the person may change what is shared. */
export async function requireWritable(trx: OwnedTransaction, owner: Principal, id: ProjectId): Promise<Project> {
  const project = await requireProject(trx, owner, id);
  if (project.role === 'read')
    throw new InvalidRequest('invalid_request', null, 'You may read in this project. Ask its owner to let you write.');
  return project;
}

async function applyChanges(
  trx: OwnedTransaction,
  owner: Principal,
  id: ProjectId,
  { instructions, ...own }: Changes,
): Promise<void> {
  if (own.assistant) await getByName(trx, owner, own.assistant, 'assistant');
  if (Object.keys(own).length > 0) await updateProject(trx, owner, id, own);
  if (instructions === undefined) return;
  const project = await requireWritable(trx, owner, id);
  if (instructions === null) await deleteProjectNote(trx, project, INSTRUCTIONS);
  else await writeProjectNote(trx, owner, project, { path: INSTRUCTIONS, text: instructions });
}

async function checkName(trx: OwnedTransaction, owner: Principal, name: string, besides?: ProjectId): Promise<void> {
  if (await isProjectNameTaken(trx, owner, name, besides))
    throw new Conflict('already_exists', `There is a project "${name}" already.`);
}
