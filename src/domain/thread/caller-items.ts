import type { Item } from './item.ts';
import { isOnlyBlocks } from './replayed-history.ts';

/**
 * The items that the thread's caller has sent or received: messages, calls of the caller's tools, and their outputs. The
 * agent's tool calls and commentary are not among them, and neither are instructions that came with a tool result. `earlier` are the items
 * just before, where the call of an output may be.
 */
export function callerItems<T extends Item>(items: readonly T[], earlier: readonly Item[] = []): T[] {
  const isExternal = new Map<string, boolean>();
  const learn = (item: Item) => {
    if (item.type === 'function_call') isExternal.set(item.callId, item.external);
  };
  earlier.forEach(learn);
  return items.filter((item) => {
    learn(item);
    switch (item.type) {
      case 'message':
        return item.phase === undefined && !isOnlyBlocks(item);
      case 'function_call':
        return item.external;
      case 'function_call_output':
        return isExternal.get(item.callId) ?? item.attempt === null;
      case 'compaction':
        return true;
    }
  });
}
