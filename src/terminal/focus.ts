import type { Entry } from './entries.ts';

/**
 * What Tab goes to: from the composer (undefined) to the newest waiting message, question, call or message with other
 * versions, on to older ones, and back.
 */
export function nextFocus(entries: readonly Entry[], focused: string | undefined, step: 1 | -1): string | undefined {
  const ring = [
    undefined,
    ...entries
      .filter(isFocusable)
      .map(({ id }) => id)
      .toReversed(),
  ];
  return ring.at((ring.indexOf(focused) + step) % ring.length);
}

const isFocusable = (entry: Entry) =>
  entry.kind === 'tool' ||
  entry.kind === 'queued' ||
  (entry.kind === 'said' && (entry.version !== undefined || entry.isRefused === true)) ||
  (entry.kind === 'gate' && entry.answer === undefined);
