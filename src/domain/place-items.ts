import type { Item, WrittenItem } from './item.ts';
import type { Turn } from './turn.ts';

/** The items as they stand in the thread once they are written. */
export function placeItems(
  turn: Pick<Turn, 'id' | 'threadId' | 'seq' | 'attempt'>,
  position: number,
  items: readonly WrittenItem[],
): Item[] {
  return items.map(({ started, ...item }, index) => ({
    ...item,
    threadId: turn.threadId,
    turnId: turn.id,
    turnSeq: turn.seq,
    position: position + index,
    attempt: turn.attempt,
    startedAt: started ? new Date() : null,
  }));
}
