import { type Component, matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';
import { endOf, lettersOf, typeInto } from './typed-line.ts';

type Options = {
  readonly question: string;
  readonly colours: Colours;
  /** Hides what is typed. */
  readonly hidden: boolean;
  /** What was typed, empty when nothing was; undefined after Esc. */
  readonly onDone: (line: string | undefined) => void;
};

export type LineInput = Component & { typed(): string };

/** Asks for one line, in the composer's place. */
export function createLineInput({ question, colours, hidden, onDone }: Options): LineInput {
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
      typed = typeInto(typed, data, hidden ? '' : ' '); // a narrow window may have broken a secret
    },
    typed: () => (hidden ? '' : typed),
    invalidate() {},
  };
}
