import { type Component, decodeKittyPrintable, matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';

type Options = {
  readonly question: string;
  readonly colours: Colours;
  readonly onDone: (secret: string | undefined) => void;
};

/** Asks for something that nobody shall read over a shoulder. Esc gives up. */
export function createSecretInput({ question, colours, onDone }: Options): Component {
  let typed = '';

  return {
    render: (width) => [
      colours.faint('─'.repeat(width)),
      truncateToWidth(colours.bold(question), width),
      truncateToWidth(`${'*'.repeat(lettersOf(typed).length)}${colours.inverse(' ')}`, width),
    ],
    handleInput(data) {
      if (matchesKey(data, 'escape')) return onDone(undefined);
      if (matchesKey(data, 'enter')) return onDone(typed.trim() || undefined);
      if (matchesKey(data, 'backspace')) typed = lettersOf(typed).slice(0, -1).join('');
      else if (matchesKey(data, 'ctrl+u')) typed = '';
      else typed += decodeKittyPrintable(data) ?? printableIn(data);
    },
    invalidate() {},
  };
}

const segmenter = new Intl.Segmenter();
const lettersOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The letters of a key press or a paste; other sequences have none. */
function printableIn(data: string): string {
  const pasted = data.replace('\x1b[200~', '').replace('\x1b[201~', '');
  if (pasted.startsWith('\x1b')) return '';
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return pasted.replace(/[\u0000-\u001f\u007f]/g, '');
}
