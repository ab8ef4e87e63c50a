import type { Worker } from './worker.ts';

/** An engine under test. */
export type Contender = {
  readonly name: string;
  /** Its version and the day of its release. */
  readonly version: string;
  readonly released: string;
  readonly licence: string;
  /** A program that stores data outside PostgreSQL. */
  readonly secondStatefulPart: string | null;
  /** What differs from its defaults, and what it was given. */
  readonly settings: string;
  /** Whether workers take over from each other. Otherwise the dead one must be started again, under its old name. */
  readonly takesOver: boolean;
  readonly hasWaits: boolean;
  /** Starts what the workers need. Workers that were started before must have ended. */
  open(): Promise<Opened>;
};

export type Opened = {
  startWorker(name: string, options?: { readonly identity?: string; readonly isFenced?: boolean }): Promise<Worker>;
  /** The processes besides the workers and PostgreSQL. */
  readonly pids: readonly number[];
  /** Bytes of stored data. */
  stored(): Promise<number>;
  close(): Promise<void>;
};
