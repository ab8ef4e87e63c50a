import type { Embedder } from '#domain/embedder.ts';
import { NotFound } from '#domain/errors.ts';
import { type Note, normalizePath, normalizeText } from '#domain/note.ts';
import { audited } from '#store/audit.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
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
  writeByAgent(owner: Owner, note: NewNote, mayReplace?: MayReplace): Promise<Note | undefined>;
  /** How many notes have an unknown origin. */
  countUnknown(owner: Owner): Promise<number>;
  /**
   * Makes these notes the person's own, so that reading them no longer counts as reading text by others. All: those of unknown
   * origin; what the agent wrote after reading text by others is kept by its path alone. Returns how many were not theirs before.
   */
  keep(owner: Owner, which: readonly string[] | 'all of unknown origin'): Promise<number>;
  /** Returns false when there was no such note. */
  delete(owner: Owner, path: string): Promise<boolean>;
};

export function createMemory(db: Database, embedder?: Embedder): Memory {
  return {
    search: (owner, query, limit) => searchNotes(db, embedder, owner, { query, limit }),
    newest: async (owner, limit) => {
      const notes = await withOwner(db, owner, (trx) => listNotes(trx, owner, limit));
      return notes.map((note) => toFound(note, excerptOf(note.text, ''), 0));
    },
    find: (owner, path) => withOwner(db, owner, (trx) => findNote(trx, owner, normalizePath(path))),
    async write(owner, path, text) {
      const written = await writeAndFind(db, owner, normalize({ path, text, origin: 'person' }));
      if (!written) throw new Error('A note of the person is always written.');
      return written;
    },
    writeByAgent: (owner, note, mayReplace) => writeAndFind(db, owner, normalize(note), mayReplace),
    countUnknown: (owner) => withOwner(db, owner, (trx) => countOfUnknownOrigin(trx, owner)),
    keep: (owner, which) => keep(db, owner, typeof which === 'string' ? which : which.map(normalizePath)),
    delete: (owner, path) => withOwner(db, owner, (trx) => deleteNote(trx, owner, normalizePath(path))),
  };
}

const normalize = ({ path, text, origin }: NewNote): NewNote => ({
  path: normalizePath(path),
  text: normalizeText(text),
  origin,
});

function writeAndFind(db: Database, owner: Owner, note: NewNote, mayReplace?: MayReplace): Promise<Note | undefined> {
  return withOwner(db, owner, async (trx) => {
    if (!(await writeNote(trx, owner, note, mayReplace))) return undefined;
    const written = await findNote(trx, owner, note.path);
    if (!written) throw new Error(`The note ${note.path} was written but cannot be found.`);
    return written;
  });
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
