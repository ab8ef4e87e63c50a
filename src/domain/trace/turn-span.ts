import type { ItemId } from '../ids.ts';
import type { Usage } from '../usage.ts';

/** A stretch of time in a turn. */
export type TurnSpan = {
  readonly kind: 'wait' | 'attempt' | 'model' | 'retry' | 'tool' | 'gate';
  readonly label: string;
  readonly attempt: number | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly itemIds: readonly ItemId[];
  readonly usage: Usage | null;
};
