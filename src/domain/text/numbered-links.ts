/** Stands around what is not of the page, such as the number of a link. It is invisible, and removed before anyone reads the text. */
const MARK = '\u2060';
const LIST = `\n\n${MARK}Links:${MARK}\n`;

/** The text of a page with a marked number after each link, and the addresses of the numbers. */
export type NumberedText = { readonly text: string; readonly links: readonly string[] };

export const linkNumber = (number: number): string => `${MARK} [${number}]${MARK}`;

/** Comes before the text of a page in a document that has several. */
export const pageMark = (page: number): string => `${MARK}## p. ${page}${MARK}`;

/** The words of a page, which can't contain a mark. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

/**
 * The text as the page has it, without the numbers of links and their addresses. Of a document with pages, only that of one if
 * it is named; undefined if there is no such page.
 */
export function pageTextOf(stored: string, page?: number): string | undefined {
  const text = stored.split(LIST, 1)[0] ?? '';
  const one = page !== undefined && text.startsWith(pageMark(1)) ? cutPage(text, page) : text;
  return one?.replace(/\u2060(?: \[\d{1,6}\]|## p\. \d{1,6})\u2060/g, '');
}

function cutPage(text: string, page: number): string | undefined {
  const start = text.indexOf(pageMark(page));
  if (start < 0) return undefined;
  const end = text.indexOf(pageMark(page + 1), start);
  return text.slice(start, end < 0 ? undefined : end);
}

/** The byte at which a page begins in the text without marks; undefined if there is no such page. */
export function startOfPage(text: string, page: number): number | undefined {
  const at = text.indexOf(pageMark(page));
  return at < 0 ? undefined : Buffer.byteLength(withoutMarks(text.slice(0, at)));
}

export const isPageMark = (line: string): boolean => /^\u2060## p\. \d{1,6}\u2060$/.test(line);

/** As one text, which is stored with its source. */
export const packNumbered = ({ text, links }: NumberedText): string =>
  links.length === 0 ? text : text + LIST + links.join('\n');

export function unpackNumbered(stored: string): NumberedText {
  const [text = '', list = ''] = stored.split(LIST, 2);
  return { text, links: list === '' ? [] : list.split('\n') };
}
