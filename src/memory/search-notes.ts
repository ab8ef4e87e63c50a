import type { Embedder } from '#domain/embedder.ts';
import type { Note } from '#domain/note.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { findByMeaning, findByWords } from '#store/notes/note-search.ts';
import { findNotes } from '#store/notes/notes.ts';
import { toUnitVector } from './embed-notes.ts';
import { excerptOf } from './excerpt.ts';

/** A search result: `text` may be an excerpt. */
export type FoundNote = Pick<Note, 'path' | 'text' | 'origin' | 'updatedAt'> & { readonly score: number };

export const toFound = ({ path, origin, updatedAt }: Note, text: string, score: number): FoundNote => ({
  path,
  text,
  score,
  origin,
  updatedAt,
});

/** How many notes of each ranking take part. */
const CANDIDATES = 50;
/** A search by words alone is better than one that takes too long. */
const EMBEDDING_MS = 1000;
const MAX_QUERY = 2000;

/** The notes that best match the query, by words and by meaning. If no model answers, by words alone. */
export async function searchNotes(
  db: Database,
  embedder: Embedder | undefined,
  owner: Owner,
  { query, limit }: { query: string; limit: number },
): Promise<FoundNote[]> {
  const question = query.toWellFormed().normalize('NFC').replaceAll('\0', ' ').trim().slice(0, MAX_QUERY);
  if (question === '') return [];
  const vector = embedder && (await embedQuestion(embedder, question)); // before taking a database connection

  return withOwner(db, owner, async (trx) => {
    const count = Math.max(CANDIDATES, limit);
    const byWords = await findByWords(trx, owner, question, count);
    const byMeaning =
      embedder && vector ? await findByMeaning(trx, owner, { model: embedder.model, vector }, count) : [];
    const best = fuseRankings([byWords, byMeaning]).slice(0, limit);
    const notes = new Map(
      (
        await findNotes(
          trx,
          owner,
          best.map(({ path }) => path),
        )
      ).map((note) => [note.path, note]),
    );
    return best.flatMap(({ path, score }) => {
      const note = notes.get(path);
      return note ? toFound(note, excerptOf(note.text, question), score) : [];
    });
  });
}

async function embedQuestion(embedder: Embedder, question: string): Promise<number[] | undefined> {
  try {
    const [vector = []] = await embedder.embed([question], AbortSignal.timeout(EMBEDDING_MS));
    return toUnitVector(vector);
  } catch {
    return undefined;
  }
}

/** Keeps the first ranks from outweighing everything else. The usual value, from the paper that proposed it. */
const DAMPING = 60;

/** Reciprocal rank fusion: a note that ranks high in one list, or fairly high in several, comes first. The first list breaks ties. */
export function fuseRankings(rankings: readonly (readonly string[])[]): { path: string; score: number }[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((path, index) => scores.set(path, (scores.get(path) ?? 0) + 1 / (DAMPING + index + 1)));

  return [...scores].map(([path, score]) => ({ path, score })).toSorted((a, b) => b.score - a.score);
}
