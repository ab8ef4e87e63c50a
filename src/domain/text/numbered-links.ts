/** Stands around what is not of the page, such as the number of a link. It is invisible, and removed before anyone reads the text. */
const MARK = '\u2060';
const LIST = `\n\n${MARK}Links:${MARK}\n`;

/** The text of a page with a marked number after each link, and the addresses of the numbers. */
export type NumberedText = { readonly text: string; readonly links: readonly string[] };

export const linkNumber = (number: number): string => `${MARK} [${number}]${MARK}`;

/** The words of a page, which can't contain a mark. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

/** The text as the page has it, without the numbers of links and their addresses. */
export const pageTextOf = (stored: string): string =>
  (stored.split(LIST, 1)[0] ?? '').replace(/\u2060 \[\d{1,6}\]\u2060/g, '');

/** As one text, which is stored with its source. */
export const packNumbered = ({ text, links }: NumberedText): string =>
  links.length === 0 ? text : text + LIST + links.join('\n');

export function unpackNumbered(stored: string): NumberedText {
  const [text = '', list = ''] = stored.split(LIST, 2);
  return { text, links: list === '' ? [] : list.split('\n') };
}
