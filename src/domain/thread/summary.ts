import type { TurnId } from '../ids.ts';
import type { Usage } from '../usage.ts';

/** What stands in a prompt for the older part of a thread: all items up to and including the place it names. */
export type Summary = {
  readonly throughSeq: number;
  readonly throughPosition: number;
  /** The turn that made it. */
  readonly turnSeq: number;
  readonly text: string;
};

/** A summary, and how it came about. */
export type MadeSummary = Summary & {
  readonly turnId: TurnId;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly createdAt: Date;
};
