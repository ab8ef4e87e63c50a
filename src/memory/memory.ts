import type { Embedder } from '#domain/embedder.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { BY_PERSON, type Note, type NoteCause, type NoteVersion, normalizePath, normalizeText } from '#domain/note.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { type DeletedNote, eraseVersions, findVersion, listDeleted, listVersions } from '#store/notes/note-versions.ts';
import {
  countOfUnknownOrigin,
  deleteNote,
  findNote,
  findNotes,
  keepNotes,
  listNotes,
  type MayReplace,
  type NewNote,
  writeNote,
} from '#store/notes/notes.ts';
import { excerptOf } from './excerpt.ts';
import { type Forgetting, type Forgotten, forgetNotes } from './forget-notes.ts';
import { type FoundNote, searchNotes, toFound } from './search-notes.ts';

/** The agent's notes. Paths are normalised; a user's notes are visible to that user only. */
export type Memory = {
  search(owner: Owner, query: string, limit: number): Promise<FoundNote[]>;
  /** Last changed first. */
  newest(owner: Owner, limit: number): Promise<FoundNote[]>;
  find(owner: Owner, path: string): Promise<Note | undefined>;
  /** Writes a text of the person, replacing an existing note. */
  write(owner: Owner, path: string, text: string): Promise<Note>;
  /** Writes a text of the agent. Undefined: not written, because `mayReplace` refuses the note that is there now. */
  writeByAgent(owner: Owner, note: NewNote, cause: NoteCause, mayReplace?: MayReplace): Promise<Note | undefined>;
  /** How many notes have an unknown origin. */
  countUnknown(owner: Owner): Promise<number>;
  /**
   * Makes these notes the person's own, so that reading them no longer counts as reading text by others. All: those of unknown
   * origin; what the agent wrote after reading text by others is kept by its path alone. Returns how many were not theirs before.
   */
  keep(owner: Owner, which: readonly string[] | 'all of unknown origin'): Promise<number>;
  /** Returns false when there was no such note. It can be restored. */
  delete(owner: Owner, path: string, cause: NoteCause): Promise<boolean>;
  /** Deletes a note of the person's with all of its versions. Returns false when there was nothing. */
  erase(owner: Owner, path: string): Promise<boolean>;
  /** The versions of a note, which may be deleted; newest first. */
  history(owner: Owner, path: string): Promise<NoteVersion[]>;
  /** Gives a note the text of an earlier version, as a new version by the person. The text keeps its origin. */
  restore(owner: Owner, path: string, version: number): Promise<Note>;
  /** Takes back what came from somewhere, or shows what that would do. */
  forget(owner: Owner, what: Forgetting): Promise<Forgotten>;
  /** Last deleted first. */
  deleted(owner: Owner, limit: number): Promise<DeletedNote[]>;
};

export function createMemory(db: Database, embedder?: Embedder): Memory {
  return {
    search: (owner, query, limit) => searchNotes(db, embedder, owner, { query, limit }),
    newest: async (owner, limit) => {
      const notes = await withOwner(db, owner, (trx) => listNotes(trx, owner, limit));
      return notes.map((note) => toFound(note, excerptOf(note.text, ''), 0));
    },
    find: (owner, path) => withOwner(db, owner, (trx) => findNote(trx, owner, normalizePath(path))),
    write(owner, path, text) {
      const note = normalize({ path, text, origin: 'person' });
      return withOwner(db, owner, (trx) => writeAndFind(trx, owner, note, BY_PERSON));
    },
    writeByAgent(owner, given, cause, mayReplace) {
      const note = normalize(given);
      return withOwner(db, owner, async (trx) =>
        (await writeNote(trx, owner, note, cause, mayReplace)) ? getNote(trx, owner, note.path) : undefined,
      );
    },
    countUnknown: (owner) => withOwner(db, owner, (trx) => countOfUnknownOrigin(trx, owner)),
    keep: (owner, which) => keep(db, owner, typeof which === 'string' ? which : which.map(normalizePath)),
    delete: (owner, path, cause) => withOwner(db, owner, (trx) => deleteNote(trx, owner, normalizePath(path), cause)),
    erase: (owner, given) =>
      withOwner(db, owner, async (trx) => {
        const path = normalizePath(given);
        const existed = await deleteNote(trx, owner, path, BY_PERSON);
        return (await eraseVersions(trx, owner, path, 'all')) || existed;
      }),
    history: (owner, path) => withOwner(db, owner, (trx) => listVersions(trx, owner, normalizePath(path))),
    restore: (owner, path, version) => withOwner(db, owner, (trx) => restore(trx, owner, normalizePath(path), version)),
    forget: (owner, what) => forgetNotes(db, owner, what),
    deleted: (owner, limit) => withOwner(db, owner, (trx) => listDeleted(trx, owner, limit)),
  };
}

const normalize = ({ path, text, origin }: NewNote): NewNote => ({
  path: normalizePath(path),
  text: normalizeText(text),
  origin,
});

async function writeAndFind(trx: OwnedTransaction, owner: Owner, note: NewNote, cause: NoteCause): Promise<Note> {
  await writeNote(trx, owner, note, cause);
  return getNote(trx, owner, note.path);
}

async function getNote(trx: OwnedTransaction, owner: Owner, path: string): Promise<Note> {
  const written = await findNote(trx, owner, path);
  if (!written) throw new Error(`The note ${path} was written but cannot be found.`);
  return written;
}

async function restore(trx: OwnedTransaction, owner: Owner, path: string, version: number): Promise<Note> {
  const found = await findVersion(trx, owner, path, version);
  if (!found) throw new NotFound(`The note ${path} has no version ${version}.`);
  const { text, origin, sources } = found;
  if (text === null)
    throw new InvalidRequest(
      'invalid_request',
      'version',
      `Version ${version} is a deletion. Delete the note instead.`,
    );
  return writeAndFind(trx, owner, { path, text, origin }, { author: 'person', sources });
}

/** Later calls are judged by it, so it is in the audit log; the paths are the person's alone. */
function keep(db: Database, owner: Owner, which: readonly string[] | 'all of unknown origin'): Promise<number> {
  return withOwner(db, owner, async (trx) => {
    if (typeof which !== 'string') {
      const known = await findNotes(trx, owner, which);
      const missing = which.find((path) => !known.some((note) => note.path === path));
      if (missing !== undefined) throw new NotFound(`The note ${missing} does not exist.`);
    }
    return audited(
      trx,
      (keeping) => keepNotes(keeping, owner, which),
      (count) =>
        count === 0
          ? 'no right changed'
          : { actor: owner.userId, action: 'note.keep', subject: owner.userId, detail: { count } },
    );
  });
}
