import { InvalidRequest } from '#domain/errors.ts';
import { newId, type ProjectId, type WorkspaceId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { PROJECT_FOLDER, type Project, type ProjectNote, type TurnProject } from '#domain/work/project.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { PLAIN_FILE, type Workspace, type WorkspaceFile } from '#domain/workspace/version.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { holdWriter } from '#store/projects/project-members.ts';
import { listProjectNotes } from '#store/projects/project-notes.ts';
import { findProject } from '#store/projects/projects.ts';
import { findProjectWorkspace, insertProjectWorkspace } from '#store/workspaces/project-workspaces.ts';
import { readWorkspace } from '#store/workspaces/workspaces.ts';
import { type Change, changeFiles, getFile, removing, storing } from '../workspace/change-files.ts';
import type { SharedFiles } from '../workspace/shared-files.ts';
import type { StoredFiles } from '../workspace/stored-files.ts';
import { requireProject, requireWritable } from './projects.ts';

type Owner = Pick<Principal, 'userId'>;

export type ProjectFiles = ReturnType<typeof createProjectFiles>;

const NO_FILES: Workspace = { id: '' as WorkspaceId, version: 0, isForeign: false, files: new Map() };

/**
 * The files of projects. They belong to the owner, whose rows a member can't see: the project that row-level security shows to the
 * member says whose they are, and only the workspace of that project is read and changed for them.
 */
export function createProjectFiles(db: Database, stored: StoredFiles) {
  const readFiles = (project: Place) => readProjectFiles(db, project);

  const readable = (person: Principal, id: ProjectId) =>
    withOwner(db, person, (trx) => requireProject(trx, person, id));

  /** To the owner, texts of members are texts by others. */
  async function change(person: Principal, id: ProjectId, given: Change): Promise<Workspace> {
    const project = await withOwner(db, person, (trx) => requireWritable(trx, person, id));
    const owner = ownerOf(project);
    await withOwner(db, owner, (trx) => insertProjectWorkspace(trx, owner, id, newId()));
    const isOthers = project.role !== 'owner';
    const plan = async (now: Workspace) => {
      const { isForeign, ...version } = await given.plan(now);
      return { ...version, isForeign: isForeign || isOthers };
    };
    const place = {
      thread: null,
      open: () => readFiles(project),
      ...(isOthers && { check: stillWriter(person, project) }),
    };
    return changeFiles({ db, stored }, owner, place, { ...given, plan });
  }

  return {
    /** For a turn: the files, and the notes as files, if the person still is a member. */
    async open(person: Owner, { id }: Pick<TurnProject, 'id'>): Promise<SharedFiles | undefined> {
      const found = await withOwner(db, person, async (trx) => {
        const project = await findProject(trx, person, id);
        return project && { project, notes: await listProjectNotes(trx, project) };
      });
      if (!found) return undefined;
      const { project, notes } = found;
      const { files, isForeign } = await readFiles(project);
      const texts = new Map(notes.map((note) => [noteFile(note), Buffer.from(note.text)]));
      const copies = [...files.values()].map((file) => ({ ...file, path: `${PROJECT_FOLDER}/${file.path}` }));
      const byOthers = notes.some(({ writtenBy }) => writtenBy !== person.userId);
      return {
        files: new Set([...copies, ...texts.keys()]),
        isForeign: byOthers || (files.size > 0 && (isForeign || project.role !== 'owner')),
        read: async (file, signal) =>
          texts.get(file) ?? ((await stored.bytesOf(ownerOf(project), [file], signal))[0] as Buffer),
      };
    },

    async list(person: Principal, id: ProjectId): Promise<Workspace> {
      return readFiles(await readable(person, id));
    },

    /** A file, whose bytes are read on request. */
    async find(person: Principal, id: ProjectId, given: string) {
      const project = await readable(person, id);
      return stored.open(ownerOf(project), getFile(await readFiles(project), normalizeFilePath(given)));
    },

    /** `own`: the owner says that they wrote it. */
    put: (person: Principal, id: ProjectId, path: string, content: Buffer, own: boolean): Promise<Workspace> =>
      change(person, id, storing(path, content, own)),

    remove: (person: Principal, id: ProjectId, path: string): Promise<Workspace> => change(person, id, removing(path)),

    limits: stored.limits,
  };
}

/** The owner can end a membership while a member's file is stored, which row-level security does not see. */
const stillWriter =
  ({ userId }: Principal, { id, ownerId }: Place) =>
  async (trx: OwnedTransaction) => {
    if (!(await holdWriter(trx, { userId: ownerId }, id, userId)))
      throw new InvalidRequest('invalid_request', null, 'You may not write in this project any more. Ask its owner.');
  };

type Place = Pick<Project, 'id' | 'ownerId'>;

const ownerOf = ({ ownerId }: Pick<Project, 'ownerId'>): Owner => ({ userId: ownerId });

const readProjectFiles = (db: Database, project: Place): Promise<Workspace> =>
  withOwner(db, ownerOf(project), async (trx) => {
    const id = await findProjectWorkspace(trx, ownerOf(project), project.id);
    return id ? readWorkspace(trx, ownerOf(project), id) : NO_FILES;
  });

function noteFile({ path, text }: ProjectNote): WorkspaceFile {
  const content = Buffer.from(text);
  return {
    path: `${PROJECT_FOLDER}/notes/${path}.md`,
    sha256: hashOf(content),
    bytes: content.length,
    mode: PLAIN_FILE,
    version: 0,
  };
}
