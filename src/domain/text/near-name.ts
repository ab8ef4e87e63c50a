/** The known name that was most likely meant; undefined when none is similar. */
export function findNearName(given: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(given.length / 3));
  const near = names.map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }));
  return near.filter(({ distance }) => distance <= most).toSorted((one, other) => one.distance - other.distance)[0]
    ?.name;
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let column = 1; column < row.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (one[at] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
