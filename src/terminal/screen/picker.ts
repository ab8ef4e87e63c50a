import { type Component, matchesKey, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';
import { endOf, typeInto } from './typed-line.ts';

export type Choice = {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** Shown below the list while it is chosen, and searched. */
  readonly preview?: string;
};

type Options = {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly colours: Colours;
  /** Keys that choose besides Enter. */
  readonly keys: readonly PickKey[];
  /** What was chosen, and by which key; undefined after Esc. */
  readonly onDone: (picked: Picked | undefined) => void;
};

export type PickKey = 'ctrl+t' | 'delete';
export type Picked = { readonly value: string; readonly key: 'enter' | PickKey };

const MOST_SHOWN = 10;

/** A list in the composer's place, which words that are typed make shorter. */
export function createPicker({ title, choices, colours, keys, onDone }: Options): Component {
  let typed = '';
  let at = 0;

  const found = () => {
    const words = typed.toLowerCase().split(/\s+/);
    return choices.filter(({ label, preview = '' }) => {
      const searched = `${label} ${preview}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    });
  };
  const move = (step: number) => {
    at = Math.max(0, Math.min(found().length - 1, at + step));
  };
  const row = ({ label, description = '' }: Choice, chosen: boolean, width: number) => {
    const room = width - 2 - (description === '' ? 0 : visibleWidth(description) + 2);
    const name = truncateToWidth(label, Math.max(1, room), '…', description !== '');
    const line = chosen ? colours.bold(`→ ${name}`) : `  ${name}`;
    return truncateToWidth(description === '' ? line : `${line}  ${colours.faint(description)}`, width);
  };

  return {
    render(width) {
      const matches = found();
      const first = Math.max(0, at - MOST_SHOWN + 1);
      const shown = matches.slice(first, first + MOST_SHOWN);
      const preview = matches[at]?.preview;
      return [
        colours.faint('─'.repeat(width)),
        truncateToWidth(colours.bold(title), width),
        `${colours.bold('Search: ')}${endOf(typed, width - 9)}${colours.inverse(' ')}`,
        ...shown.map((choice, index) => row(choice, first + index === at, width)),
        ...(shown.length === 0 ? [colours.faint('  Nothing has these words.')] : []),
        ...(preview ? [truncateToWidth(colours.faint(`  ${preview}`), width)] : []),
      ];
    },
    handleInput(data) {
      if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+g')) return onDone(undefined);
      const key = (['enter', ...keys] as const).find((each) => matchesKey(data, each));
      const value = found()[at]?.value;
      if (key) return value === undefined ? undefined : onDone({ value, key });
      if (matchesKey(data, 'ctrl+r') || matchesKey(data, 'down')) return move(1);
      if (matchesKey(data, 'ctrl+s') || matchesKey(data, 'up')) return move(-1);
      typed = typeInto(typed, data);
      at = 0;
    },
    invalidate() {},
  };
}
