import { decodeKittyPrintable, matchesKey, visibleWidth } from '@earendil-works/pi-tui';

/** One line after a key press or a paste. */
export function typeInto(line: string, data: string): string {
  if (matchesKey(data, 'backspace')) return lettersOf(line).slice(0, -1).join('');
  if (matchesKey(data, 'ctrl+u')) return '';
  return line + (decodeKittyPrintable(data) ?? printableIn(data));
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
function printableIn(data: string): string {
  const pasted = data.replace('\x1b[200~', '').replace('\x1b[201~', '');
  if (pasted.startsWith('\x1b')) return '';
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return pasted.replace(/[\u0000-\u001f\u007f]/g, '');
}
