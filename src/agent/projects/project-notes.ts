import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ProjectId } from '#domain/ids.ts';
import { normalizePath, normalizeText } from '#domain/note.ts';
import type { Principal } from '#domain/principal.ts';
import { MAX_NOTES, type ProjectNote } from '#domain/work/project.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  deleteProjectNote,
  findProjectNote,
  listProjectNotes,
  writeProjectNote,
} from '#store/projects/project-notes.ts';
import { requireProject, requireWritable } from './projects.ts';

export type ProjectNotes = ReturnType<typeof createProjectNotes>;

/** The notes of projects. Threads of the project see them as files. */
export function createProjectNotes(db: Database) {
  return {
    list: (person: Principal, id: ProjectId): Promise<ProjectNote[]> =>
      withOwner(db, person, async (trx) => listProjectNotes(trx, await requireProject(trx, person, id))),

    find: (person: Principal, id: ProjectId, given: string): Promise<ProjectNote> =>
      withOwner(db, person, async (trx) => {
        const note = await findProjectNote(trx, await requireProject(trx, person, id), normalizePath(given));
        if (!note) throw noNote();
        return note;
      }),

    write: (person: Principal, id: ProjectId, given: string, text: string): Promise<ProjectNote> =>
      withOwner(db, person, async (trx) => {
        const project = await requireWritable(trx, person, id);
        const path = normalizePath(given);
        const others = (await listProjectNotes(trx, project)).filter((note) => note.path !== path);
        if (others.length >= MAX_NOTES)
          throw new InvalidRequest('invalid_request', 'path', `A project may have ${MAX_NOTES} notes. Delete one.`);
        await writeProjectNote(trx, person, project, { path, text: normalizeText(text) });
        return (await findProjectNote(trx, project, path)) as ProjectNote;
      }),

    remove: (person: Principal, id: ProjectId, given: string): Promise<void> =>
      withOwner(db, person, async (trx) => {
        const project = await requireWritable(trx, person, id);
        if (!(await deleteProjectNote(trx, project, normalizePath(given)))) throw noNote();
      }),
  };
}

const noNote = () => new NotFound('This note does not exist.');
