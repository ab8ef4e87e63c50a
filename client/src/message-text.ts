import type { ItemPart } from './api.ts';

/** The text of a message or an output. Text by others is separated from the sender's. */
export function textOf(parts: readonly ItemPart[]): string {
  return parts.map((part, index) => (part.type === 'text' ? gapBefore(parts, index) + part.text : '')).join('');
}

/** What a part begins with: an empty line between what the sender wrote and what others did. */
export function gapBefore(parts: readonly ItemPart[], index: number): string {
  const before = parts.slice(0, index).findLast(({ type }) => type === 'text');
  return before && [parts[index], before].some((part) => part && isByOthers(part)) ? '\n\n' : '';
}

/** The words of a message that its sender wrote: what they change when they edit it. */
export const ownTextOf = (parts: readonly ItemPart[]): string => textOf(parts.filter((part) => !isByOthers(part)));

export const isByOthers = (part: ItemPart): boolean => part.type === 'text' && part.origin === 'others';
