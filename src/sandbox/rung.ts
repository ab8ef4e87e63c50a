import type { RunnerProcess } from './conversation.ts';
import type { Runner } from './runner.ts';
import type { Strength } from './sandbox.ts';

export type RungName = 'bubblewrap' | 'runners';

/** A way to have runners that are kept apart from the machine. None replaces another. */
export type Rung = {
  readonly name: RungName;
  /** Looks before the first start. Throws NoSandbox if there can be none. */
  find(): Promise<Pick<Strength, 'program'>>;
  /** A runner that is ready. Throws NoSandbox if none can be had, and SandboxLost if one ended that was. */
  start(adopt: Adopt, wait: Wait): Promise<Runner>;
  /** What changes from one moment to the next. */
  now(): Promise<Pick<Strength, 'runners'>>;
};

/** Makes a runner of a process, and ends it when all sandboxes end. */
export type Adopt = (process: RunnerProcess) => Runner;

/** For a rung that must wait: how long at most, and a way to free what is only kept. */
export type Wait = { readonly signal: AbortSignal; readonly ms: number; readonly makeRoom: () => boolean };
