import type { Embedder } from '#domain/embedder.ts';
import type { Note } from '#domain/note.ts';
import type { Database, Owner } from '#store/connection.ts';
import { findNotes } from '#store/notes/notes.ts';
import { NOTES } from '#store/search/search-source.ts';
import { excerptOf } from './excerpt.ts';
import { rankTexts } from './rank-texts.ts';

/** A search result: `text` may be an excerpt. */
export type FoundNote = Omit<Note, 'createdAt'> & { readonly score: number };

export const toFound = ({ createdAt: _, ...note }: Note, text: string, score: number): FoundNote => ({
  ...note,
  text,
  score,
});

/** The notes that best match the query, by words and by meaning. If no model answers, by words alone. */
export function searchNotes(
  db: Database,
  embedder: Embedder | undefined,
  owner: Owner,
  { query, limit }: { query: string; limit: number },
): Promise<FoundNote[]> {
  return rankTexts({ db, embedder, source: NOTES }, owner, { query, limit }, async (trx, best, question) => {
    const paths = best.map(({ key }) => key);
    const notes = new Map((await findNotes(trx, owner, paths)).map((note) => [note.path, note]));
    return best.flatMap(({ key, score }) => {
      const note = notes.get(key);
      return note ? toFound(note, excerptOf(note.text, question), score) : [];
    });
  });
}
