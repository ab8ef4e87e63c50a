import type { Item } from './item.ts';

/** An item with its times. */
export type TimedItem = Item & {
  readonly createdAt: Date;
  /** Of a call: when its output was written. */
  readonly endedAt: Date | null;
};

/** Gives each call the time of its output: the first output answers the first call of that id. `later` may hold outputs too. */
export function timeCalls(items: readonly DatedItem[], later: readonly DatedItem[] = []): TimedItem[] {
  const ends = Map.groupBy(
    [...items, ...later].filter((item) => item.type === 'function_call_output'),
    (item) => item.callId,
  );
  return items.map((item) => {
    const output = item.type === 'function_call' ? ends.get(item.callId)?.shift() : undefined;
    return { ...item, endedAt: output?.createdAt ?? null };
  });
}

export type DatedItem = Item & { readonly createdAt: Date };
