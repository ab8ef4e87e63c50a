import type { Item } from '#domain/item.ts';
import type { Summary } from '#domain/summary.ts';

/** What of a thread is told to the model word by word: all after the summary, and what this turn was asked anyway. */
export function recentItems(items: readonly Item[], summary: Summary | null, turnSeq: number): Item[] {
  if (!summary) return [...items];
  return items.filter((item) => !isCovered(item, summary) || isRequest(item, turnSeq));
}

export function isCovered(item: Item, { throughSeq, throughPosition }: Summary): boolean {
  return item.turnSeq < throughSeq || (item.turnSeq === throughSeq && item.position <= throughPosition);
}

/** It stays word by word for as long as the turn works on it. */
export const isRequest = (item: Item, turnSeq: number): boolean =>
  item.turnSeq === turnSeq && item.attempt === null && item.type === 'message';

/**
 * The indexes at which a history may be parted: before an answer or a message, never between a call and its output or
 * inside one answer. The first item is no place to part at.
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

/** An output belongs to what is before it, and so do the calls that were made with a message. */
function isJoined(before: Item | undefined, item: Item): boolean {
  if (item.type === 'function_call_output') return true;
  return item.type === 'function_call' && before?.type === 'message' && before.role === 'assistant';
}
