import { type Component, SelectList, truncateToWidth } from '@earendil-works/pi-tui';
import type { Colours } from './colours.ts';

export type Choice = { readonly value: string; readonly label: string; readonly description: string };

/** A list under a title. `onDone` gets the chosen value, or undefined when the person went back. */
export function createPicker(
  title: string,
  choices: readonly Choice[],
  colours: Colours,
  onDone: (value: string | undefined) => void,
): Component {
  const list = new SelectList([...choices], 10, {
    selectedPrefix: colours.bold,
    selectedText: colours.bold,
    description: colours.faint,
    scrollInfo: colours.faint,
    noMatch: colours.faint,
  });
  list.onSelect = ({ value }) => onDone(value);
  list.onCancel = () => onDone(undefined);
  return {
    render: (width) => [
      colours.faint('─'.repeat(width)),
      truncateToWidth(colours.bold(title), width),
      ...list.render(width),
    ],
    handleInput: (data) => list.handleInput(data),
    invalidate: () => list.invalidate(),
  };
}
