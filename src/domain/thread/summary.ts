import type { TurnId } from '../ids.ts';
import type { Usage } from '../usage.ts';
import type { SummaryReads } from './origin.ts';

/** Replaces the older part of a thread in prompts: all items up to and including (throughSeq, throughPosition). */
export type Summary = {
  readonly throughSeq: number;
  readonly throughPosition: number;
  /** The turn that made it. */
  readonly turnSeq: number;
  readonly text: string;
  /** What the model had read that is summed up here; null in summaries of older versions, which may hide anything. */
  readonly reads: SummaryReads | null;
};

/** A summary, and the model call that wrote it. */
export type MadeSummary = Summary & {
  readonly turnId: TurnId;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly createdAt: Date;
};
