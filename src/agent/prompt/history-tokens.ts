import type { Item, ItemBody } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';
import { contentTokens, PER_MESSAGE, textTokens } from '#models/estimate-tokens.ts';

export function itemTokens(item: ItemBody): number {
  switch (item.type) {
    case 'message':
      return PER_MESSAGE + contentTokens(item.content);
    case 'function_call':
      return PER_MESSAGE + textTokens(item.name) + textTokens(item.arguments);
    case 'function_call_output':
      return PER_MESSAGE + contentTokens(item.output);
    case 'compaction':
      return PER_MESSAGE + textTokens(item.summary);
  }
}

/**
 * How many real tokens one estimated token is, by the newest answer whose prompt can be rebuilt: one that was given
 * since the summary was made. Never less than 1, because a provider refuses a prompt that was counted too low.
 */
export function scaleFrom(
  recent: readonly Item[],
  summary: Summary | null,
  estimate: (items: readonly Item[]) => number,
): number {
  const answer = recent.findLastIndex((item) => item.usage !== null && item.turnSeq > (summary?.turnSeq ?? 0));
  const counted = recent[answer]?.usage?.inputTokens ?? 0;
  if (counted === 0) return 1;
  return Math.min(MOST_SCALE, Math.max(1, counted / estimate(recent.slice(0, answer))));
}

const MOST_SCALE = 4;
