import type { Embedder } from '#domain/embedder.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { findByMeaning, findByWords, type Ranking } from '#store/search/find-ranked.ts';
import type { SearchSource } from '#store/search/search-source.ts';
import { toUnitVector } from './embed-texts.ts';

/** How many texts of each ranking take part. */
const CANDIDATES = 50;
/** A search by words alone is better than one that takes too long. */
const EMBEDDING_MS = 1000;
const MAX_QUERY = 2000;

type SearchParts = {
  readonly db: Database;
  readonly embedder: Embedder | undefined;
  readonly source: SearchSource;
};

/** A text by its key in its source. */
export type Ranked = { readonly key: string; readonly score: number };

/** Finds the texts of one source that best match the query, by words and by meaning, and loads them in the same transaction. */
export async function rankTexts<Found>(
  { db, embedder, source }: SearchParts,
  owner: Owner,
  { query, ...ranking }: Ranking & { readonly query: string },
  load: (trx: OwnedTransaction, best: readonly Ranked[], question: string) => Promise<Found[]>,
): Promise<Found[]> {
  const question = query.toWellFormed().normalize('NFC').replaceAll('\0', ' ').trim().slice(0, MAX_QUERY);
  if (question === '') return [];
  const vector = embedder && (await embedQuestion(embedder, question)); // before taking a database connection

  return withOwner(db, owner, async (trx) => {
    const candidates = { ...ranking, limit: Math.max(CANDIDATES, ranking.limit) };
    const byWords = await findByWords(trx, owner, source, question, candidates);
    const byMeaning =
      embedder && vector ? await findByMeaning(trx, owner, source, { model: embedder.model, vector }, candidates) : [];
    return load(trx, fuseRankings([byWords, byMeaning]).slice(0, ranking.limit), question);
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
/** What the first text of a list gets for it. */
export const BEST_SCORE = 1 / (DAMPING + 1);

/** Reciprocal rank fusion: a text that ranks high in one list, or fairly high in several, comes first. The first list breaks ties. */
export function fuseRankings(rankings: readonly (readonly string[])[]): Ranked[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((key, index) => scores.set(key, (scores.get(key) ?? 0) + 1 / (DAMPING + index + 1)));

  return [...scores].map(([key, score]) => ({ key, score })).toSorted((a, b) => b.score - a.score);
}
