import type { Embedder } from '#domain/embedder.ts';
import { type Note, type NoteOrigin, normalizePath, normalizeText } from '#domain/note.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { deleteNote, findNote, listNotes, type NewNote, writeNote } from '#store/notes/notes.ts';
import { excerptOf } from './excerpt.ts';
import { type FoundNote, searchNotes, toFound } from './search-notes.ts';

/** The agent's notes. Paths are normalised; a user's notes are visible to that user only. */
export type Memory = {
  search(owner: Owner, query: string, limit: number): Promise<FoundNote[]>;
  /** Last changed first. */
  newest(owner: Owner, limit: number): Promise<FoundNote[]>;
  find(owner: Owner, path: string): Promise<Note | undefined>;
  /** Writes the text, replacing an existing note. The origin is the person if it is left out. */
  write(owner: Owner, path: string, text: string, origin?: NoteOrigin): Promise<Note>;
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
    write: (owner, path, text, origin = 'person') =>
      writeAndFind(db, owner, { path: normalizePath(path), text: normalizeText(text), origin }),
    delete: (owner, path) => withOwner(db, owner, (trx) => deleteNote(trx, owner, normalizePath(path))),
  };
}

function writeAndFind(db: Database, owner: Owner, note: NewNote): Promise<Note> {
  return withOwner(db, owner, async (trx) => {
    await writeNote(trx, owner, note);
    const written = await findNote(trx, owner, note.path);
    if (!written) throw new Error(`The note ${note.path} was written but cannot be found.`);
    return written;
  });
}
