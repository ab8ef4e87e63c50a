import { type Component, matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';
import { oneLine } from './printable.ts';
import { endOf, typeInto } from './typed-line.ts';

type Options = {
  /** The earlier messages, oldest first. */
  readonly prompts: readonly string[];
  readonly colours: Colours;
  /** The message that was chosen; undefined after Esc. */
  readonly onDone: (prompt: string | undefined) => void;
};

const MOST_SHOWN = 8;

/** Finds an earlier message by its words, in the composer's place, as Ctrl+R does in a shell. */
export function createPromptSearch({ prompts, colours, onDone }: Options): Component {
  const newest = [...new Set(prompts.toReversed())];
  let typed = '';
  let at = 0;

  const found = () => {
    const words = typed.toLowerCase().split(/\s+/);
    return newest.filter((prompt) => words.every((word) => prompt.toLowerCase().includes(word)));
  };
  const move = (step: number) => {
    at = Math.max(0, Math.min(found().length - 1, at + step));
  };

  return {
    render(width) {
      const matches = found();
      const first = Math.max(0, at - MOST_SHOWN + 1);
      const shown = matches
        .slice(first, first + MOST_SHOWN)
        .map((prompt, index) =>
          truncateToWidth(first + index === at ? colours.bold(`→ ${oneLine(prompt)}`) : `  ${oneLine(prompt)}`, width),
        );
      return [
        colours.faint('─'.repeat(width)),
        `${colours.bold('Search: ')}${endOf(typed, width - 9)}${colours.inverse(' ')}`,
        ...(shown.length > 0 ? shown : [colours.faint('  No earlier message has these words.')]),
      ];
    },
    handleInput(data) {
      if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+g')) return onDone(undefined);
      if (matchesKey(data, 'enter')) return onDone(found()[at]);
      if (matchesKey(data, 'ctrl+r') || matchesKey(data, 'down')) return move(1);
      if (matchesKey(data, 'ctrl+s') || matchesKey(data, 'up')) return move(-1);
      typed = typeInto(typed, data);
      at = 0;
    },
    invalidate() {},
  };
}
