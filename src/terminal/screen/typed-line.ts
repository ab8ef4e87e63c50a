import { decodeKittyPrintable, matchesKey, visibleWidth } from '@earendil-works/pi-tui';

/** One line after a key press or a paste, with `between` in place of the line breaks of a paste. */
export function typeInto(line: string, data: string, between = ' '): string {
  if (matchesKey(data, 'backspace')) return lettersOf(line).slice(0, -1).join('');
  if (matchesKey(data, 'ctrl+u')) return '';
  return line + (decodeKittyPrintable(data) ?? printableIn(data, between));
}

/** The end of a line that is longer than there is room for, since that is where one types. */
export function endOf(line: string, width: number): string {
  const letters = lettersOf(line);
  while (letters.length > 0 && visibleWidth(letters.join('')) > width) letters.shift();
  return letters.join('');
}

const segmenter = new Intl.Segmenter();
export const lettersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The letters of a key press or a paste; other sequences have none. */
function printableIn(data: string, between: string): string {
  const pasted = PASTE.exec(data)?.[1]?.replace(/[\t\n\r]+/g, between) ?? data;
  if (pasted.startsWith('\x1b')) return '';
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return pasted.replace(/[\u0000-\u001f\u007f]/g, '');
}

// oxlint-disable-next-line no-control-regex -- how a terminal marks a paste
const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/;
