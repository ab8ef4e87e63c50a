import type { Item } from '#domain/thread/item.ts';
import type { TurnOutcome } from '#domain/thread/turn.ts';

export type CompactionSteps = {
  loadHistory(): Promise<Item[]>;
  /** Adds one compaction item, which the end of the turn writes. */
  summarise(history: readonly Item[]): Promise<void>;
};

/** A turn that summarises its thread: no tools, no answer. */
export async function runCompaction(steps: CompactionSteps): Promise<TurnOutcome> {
  await steps.summarise(await steps.loadHistory());
  return { status: 'completed' };
}
