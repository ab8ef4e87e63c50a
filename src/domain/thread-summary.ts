import type { ThreadId } from './ids.ts';
import type { Usage } from './usage.ts';

/** A thread as a list tells of it. */
export type ThreadSummary = {
  readonly id: ThreadId;
  /** As its owner called it; null: it is called by its first words. */
  readonly title: string | null;
  readonly opening: string;
  readonly preview: string;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly status: 'idle' | 'running' | 'waiting';
  readonly usage: Usage;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ThreadChange = {
  readonly title?: string | null;
  readonly pinned?: boolean;
  readonly archived?: boolean;
};
