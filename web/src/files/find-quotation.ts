/** Where a text has the words of a quotation, in whatever quotation marks, dashes, blanks and case. An ellipsis stands for other words. */
export function findQuotation(
  text: string,
  quotation: string,
): { readonly start: number; readonly end: number } | undefined {
  const parts = quotation
    .replaceAll('*', '')
    .replace(/[.,;]$/, '')
    .split(/\[?(?:…|\.\.\.)\]?/)
    .map((part) => patternOf(part.trim()))
    .filter((pattern) => pattern !== '');
  const places: { start: number; end: number }[] = [];
  // One after the other, because one expression for all of them could take exponential time.
  for (const part of parts) {
    const words = new RegExp(part, 'giu');
    words.lastIndex = places.at(-1)?.end ?? 0;
    const found = words.exec(text);
    if (!found) return undefined;
    places.push({ start: found.index, end: words.lastIndex });
  }
  const [first, last] = [places[0], places.at(-1)];
  return first && last && { start: first.start, end: last.end };
}

const SINGLE = "['‘’‚‛′‹›]";
const DOUBLE = '["“”„‟″«»]';
const DASH = '[-‐-―−]\\n?';
/** At the end of a line, a word can continue after a hyphen. */
const BREAK = '(?:[-‐\u00AD]\\n)?';
const SPECIAL = new RegExp(`\\s+|${SINGLE}|${DOUBLE}|${DASH}|(?<=\\p{L})(?=\\p{L})|[\\\\^$.+?()[\\]{}|/]`, 'gu');

const patternOf = (words: string): string =>
  words.replace(SPECIAL, (found) => {
    if (found === '') return BREAK;
    if (/^\s/.test(found)) return '\\s+';
    return [SINGLE, DOUBLE, DASH].find((set) => new RegExp(set, 'u').test(found)) ?? `\\${found}`;
  });
