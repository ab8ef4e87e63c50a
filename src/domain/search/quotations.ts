/** Shorter words in quotation marks are names and terms, which need not be on the page as they are. */
const LEAST_QUOTATION = 20;

/** The words in quotation marks, and the quoted lines, of a piece of Markdown. */
export function quotationsIn(text: string): string[] {
  const inMarks = [...text.matchAll(PAIRS)].map((match) => match.slice(1).find((inside) => inside !== undefined) ?? '');
  const inLines = quotedBlocks(text);
  const quotations = [...inLines.filter((block) => block.search(PAIRS) < 0), ...inMarks];
  return quotations.map((quotation) => quotation.trim()).filter(({ length }) => length >= LEAST_QUOTATION);
}

/** Lines that begin with `>`, those in a row as one text. */
function quotedBlocks(text: string): string[] {
  const blocks: string[][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    const isQuoted = line.startsWith('>');
    if (isQuoted && !isInside) blocks.push([]);
    if (isQuoted) blocks.at(-1)?.push(line.replace(/^> ?/, ''));
    isInside = isQuoted;
  }
  return blocks.map((lines) => lines.join('\n'));
}

const PAIRS = /“([^“”]*)”|„([^„“”]*)[“”]|"([^"]*)"|«([^«»]*)»|»([^«»]*)«|「([^「」]*)」|『([^『』]*)』/g;

/**
 * Whether a page has the words of a quotation, in whatever quotation marks, dashes, blanks and case. Never by similarity: a "not"
 * or another digit are small differences, and change everything. An ellipsis separates parts that follow one another.
 */
export function hasQuotation(page: FoldedText, quotation: string): boolean {
  return spellingsOf(quotation).some((spelling) => hasParts(page, partsOf(fold(spelling).text)));
}

/** The model may have copied the number of a link, or set words in bold. */
const spellingsOf = (quotation: string): string[] => [
  quotation,
  quotation.replace(/ ?\[\d{1,6}\]/g, ''),
  quotation.replace(/ ?\[\d{1,6}\]/g, '').replaceAll('*', ''),
];

/** The comma or full stop at the end can belong to the sentence around it. */
function partsOf(folded: string): string[] {
  const parts = folded.split(/\[\.\.\.\]|\.\.\./).map((part) => part.trim());
  const last = parts.length - 1;
  return parts.map((part, index) => (index === last ? part.replace(/[.,;]$/, '') : part)).filter((part) => part !== '');
}

function hasParts({ text }: FoldedText, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = findWords(text, part, at);
    if (found === undefined) return false;
    at = found + part.length;
  }
  return parts.length > 0;
}

const MOST_PLACES = 1_000;

/** Where the page has these words as whole ones: "5 boats" is not in "15 boats". */
function findWords(text: string, words: string, from: number): number | undefined {
  let at = text.indexOf(words, from);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places++) {
    const end = at + words.length;
    if (!isInsideWord(text, at) && !isInsideWord(text, end)) return at;
    at = text.indexOf(words, at + 1);
  }
  return undefined;
}

/** Whether a word or a number continues over this place. Some languages don't separate their words. */
function isInsideWord(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)];
  if (/\d[.,]$/.test(before) && /^\d/.test(after)) return true;
  if (/\d$/.test(before) && /^[.,]\d/.test(after)) return true;
  return (
    /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after)
  );
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A text, written as quotations are compared. */
export type FoldedText = { readonly text: string };

export function fold(text: string): FoldedText {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201A\u201B\u2032\u2039\u203A]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\u00AD\s*|[\u200B-\u200F\u2060\uFEFF]/g, '')
    // Nothing says whether a hyphen at the end of a line belongs to the word, so no word keeps one.
    .replace(/(?<=[\p{L}\p{N}]-)[ \t]*\n\s*(?=[\p{L}\p{N}])/gu, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return { text: folded };
}
