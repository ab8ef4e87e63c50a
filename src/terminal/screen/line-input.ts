import {
  type Component,
  decodeKittyPrintable,
  matchesKey,
  truncateToWidth,
  visibleWidth,
} from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';

type Options = {
  readonly question: string;
  readonly colours: Colours;
  /** Hides what is typed. */
  readonly hidden: boolean;
  /** What was typed, empty when nothing was; undefined after Esc. */
  readonly onDone: (line: string | undefined) => void;
};

/** Asks for one line, in the composer's place. */
export function createLineInput({ question, colours, hidden, onDone }: Options): Component {
  let typed = '';

  return {
    render: (width) => [
      colours.faint('─'.repeat(width)),
      truncateToWidth(colours.bold(question), width),
      `${endOf(hidden ? '*'.repeat(lettersOf(typed).length) : typed, width - 1)}${colours.inverse(' ')}`,
    ],
    handleInput(data) {
      if (matchesKey(data, 'escape')) return onDone(undefined);
      if (matchesKey(data, 'enter')) return onDone(typed.trim());
      if (matchesKey(data, 'backspace')) typed = lettersOf(typed).slice(0, -1).join('');
      else if (matchesKey(data, 'ctrl+u')) typed = '';
      else typed += decodeKittyPrintable(data) ?? printableIn(data);
    },
    invalidate() {},
  };
}

const segmenter = new Intl.Segmenter();
const lettersOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The end of a line that is longer than there is room for, since that is where one types. */
function endOf(line: string, width: number): string {
  const letters = lettersOf(line);
  while (letters.length > 0 && visibleWidth(letters.join('')) > width) letters.shift();
  return letters.join('');
}

/** The letters of a key press or a paste; other sequences have none. */
function printableIn(data: string): string {
  const pasted = data.replace('\x1b[200~', '').replace('\x1b[201~', '');
  if (pasted.startsWith('\x1b')) return '';
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return pasted.replace(/[\u0000-\u001f\u007f]/g, '');
}
