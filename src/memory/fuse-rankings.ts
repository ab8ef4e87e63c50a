/** Keeps the first places from outweighing everything else. The usual choice, from the paper that proposed it. */
const DAMPING = 60;

/** Reciprocal rank fusion: who stands high in one list, or fairly high in several, comes first. Among equals, the first list decides. */
export function fuseRankings(rankings: readonly (readonly string[])[]): { path: string; score: number }[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((path, index) => scores.set(path, (scores.get(path) ?? 0) + 1 / (DAMPING + index + 1)));

  return [...scores].map(([path, score]) => ({ path, score })).toSorted((a, b) => b.score - a.score);
}
