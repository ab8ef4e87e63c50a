import { isAttached, noteFor, sizeOfPart } from '#domain/thread/attachment.ts';
import type { ContentPart, Item } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';

/** The most base64 that the images and files of one prompt can have. Providers refuse much larger requests. */
const MAX_ATTACHED = 20 * 1024 * 1024;

/**
 * The part of a thread that the model reads word by word: everything after the summary, and what this turn was asked. Of images
 * and files the newest are kept, up to a limit; a note in the prompt replaces each of the others.
 */
export function recentItems(
  items: readonly Item[],
  summary: Summary | null,
  turnSeq: number,
  maxAttached = MAX_ATTACHED,
): Item[] {
  const recent = summary ? items.filter((item) => !isCovered(item, summary) || isRequest(item, turnSeq)) : items;
  let attached = 0;
  const keep = (part: ContentPart): ContentPart => {
    if (!isAttached(part)) return part;
    attached += (sizeOfPart(part) * 4) / 3;
    if (attached <= maxAttached) return part;
    return noteFor(part, `[${part.type} left out: this thread holds more than one prompt can]`);
  };
  return recent
    .toReversed()
    .map((item) => withParts(item, keep))
    .toReversed();
}

function withParts(item: Item, change: (part: ContentPart) => ContentPart): Item {
  switch (item.type) {
    case 'message':
      return item.content.every(isText)
        ? item
        : { ...item, content: item.content.toReversed().map(change).toReversed() };
    case 'function_call_output':
      return item.output.every(isText) ? item : { ...item, output: item.output.toReversed().map(change).toReversed() };
    case 'function_call':
    case 'compaction':
      return item;
  }
}

const isText = (part: ContentPart): boolean => part.type === 'text';

export function isCovered(item: Item, { throughSeq, throughPosition }: Summary): boolean {
  return item.turnSeq < throughSeq || (item.turnSeq === throughSeq && item.position <= throughPosition);
}

/** The input is never summarised while the turn works on it. */
export const isRequest = (item: Item, turnSeq: number): boolean =>
  item.turnSeq === turnSeq && item.attempt === null && item.type === 'message';

/**
 * The indexes where a history can be split: before an answer or a message, never between a call and its output or
 * inside one answer. The first index is never included.
 */
export function findSeams(items: readonly Item[]): number[] {
  const open: string[] = [];
  return items.flatMap((item, index) => {
    if (item.type === 'message' && (item.role === 'user' || item.role === 'assistant')) open.length = 0;
    const isSeam = index > 0 && open.length === 0 && !isJoined(items[index - 1], item);
    if (item.type === 'function_call') open.push(item.callId);
    if (item.type === 'function_call_output' && open.includes(item.callId)) open.splice(open.indexOf(item.callId), 1);
    return isSeam ? index : [];
  });
}

/** An output belongs to the item before it, and so does a call that was made with a message. */
function isJoined(before: Item | undefined, item: Item): boolean {
  if (item.type === 'function_call_output') return true;
  return item.type === 'function_call' && before?.type === 'message' && before.role === 'assistant';
}
