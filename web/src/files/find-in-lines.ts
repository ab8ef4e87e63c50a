/** A place in a text of lines. */
export type Match = { readonly line: number; readonly start: number; readonly end: number };

/** More would be of no use, and slow. */
export const MOST_MATCHES = 1000;

/** Where the lines have these words, in upper or lower case. */
export function findInLines(lines: readonly string[], words: string): Match[] {
  if (words === '') return [];
  const pattern = new RegExp(RegExp.escape(words), 'gi');
  const found: Match[] = [];
  for (const [line, text] of lines.entries())
    for (const { index, 0: match } of text.matchAll(pattern)) {
      if (found.length === MOST_MATCHES) return found;
      found.push({ line, start: index, end: index + match.length });
    }
  return found;
}
