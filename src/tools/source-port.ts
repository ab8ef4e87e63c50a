import type { NewSource, Source } from '#domain/search/source.ts';

/** The sources of the thread as a call sees them. Nothing is written before the call's output is. */
export type OpenSources = {
  /** The number of each of them in the thread, in their order: the one that its address has, or the next. */
  add(sources: readonly NewSource[]): Promise<number[]>;
  /** The newest text of a source that an earlier output showed. */
  find(number: number): Promise<Source | undefined>;
};
