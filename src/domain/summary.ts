/** What stands in a prompt for the older part of a thread: all items up to and including the place it names. */
export type Summary = {
  readonly throughSeq: number;
  readonly throughPosition: number;
  /** The turn that made it. */
  readonly turnSeq: number;
  readonly text: string;
};
