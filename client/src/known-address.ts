import { textOf } from './message-text.ts';
import { hasReadOthers } from './text-by-others.ts';
import type { ThreadState } from './thread-state.ts';

/**
 * How much of an address in an answer was shown before: in a message or in the output of a tool. `undefined` if the address may be
 * opened without a question: all of it was shown, or the agent read nothing by others that could have made it write the address.
 */
export function unshownFrom(state: ThreadState, address: string): number | undefined {
  if (!hasReadOthers(state)) return undefined;
  const texts = textsRead(state);
  if (texts.some((text) => holdsWhole(text, address))) return undefined;
  return longestPrefix(address, (prefix) => texts.some((text) => text.includes(prefix)));
}

function textsRead({ turns, outputs }: ThreadState): string[] {
  const said = turns.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.kind === 'message' && entry.role === 'user' ? entry.text : [])),
  );
  return [...said, ...[...outputs.values()].map(({ parts }) => textOf(parts))];
}

/** Whether the text contains the address and not just a part of a longer one. */
function holdsWhole(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1))
    if (END.test(text.slice(at + address.length, at + address.length + 2))) return true;
  return false;
}

/** Punctuation ends an address only if the address does not continue after it. */
const END = /^(?:$|[\s"'<>[\]{}|\\^`)]|[.,;:!?](?:$|[\s"'<>)\]]))/;

/** The text is contained up to some length, and not beyond it. */
function longestPrefix(address: string, isKnown: (prefix: string) => boolean): number {
  let known = 0;
  for (let unknown = address.length + 1; unknown - known > 1; ) {
    const middle = Math.floor((known + unknown) / 2);
    if (isKnown(address.slice(0, middle))) known = middle;
    else unknown = middle;
  }
  return known;
}
