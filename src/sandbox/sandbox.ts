import type { Duplex } from 'node:stream';

/** Runs code of the agent where it can harm nothing. Nothing in a sandbox counts until the caller has stored its changes. */
export type Sandboxes = {
  /**
   * What holds on this machine. The first answer is asked of a sandbox, and corrected when a later start finds less; the next ones
   * come at once. While no code runs, it is asked again from time to time.
   */
  strength(): Promise<Strength>;
  /**
   * A warm sandbox with exactly this version of the workspace, or a new one that is filled with `files`, which are read only
   * then. Waits while too many are in use. Throws NoSandbox where no code may run.
   */
  open(key: WorkspaceVersion, files: AsyncIterable<SandboxFile>, signal: AbortSignal): Promise<Sandbox>;
  /** Ends every sandbox, and resolves when their processes are gone. */
  close(): Promise<void>;
};

export type WorkspaceVersion = { readonly workspace: string; readonly version: number };

export type Sandbox = {
  /** One call at a time. Throws SandboxLost if the sandbox ended; the files are then as they were before the call. */
  run(call: Call, on: Listener): Promise<Ran>;
  /** What differs from the files that it was filled with, or from the last answer. */
  changes(): Promise<Changes>;
  /** Adds a file that the caller stores with the changes. False: it does not fit. Only while no name is refused: a link could lead elsewhere. */
  add(file: SandboxFile): Promise<boolean>;
  /** The changes are stored as this version: the sandbox may be used again for it. */
  committed(version: number): void;
  discard(): Promise<void>;
};

export type Call =
  | { readonly kind: 'shell'; readonly command: string; readonly timeoutMs: number }
  | { readonly kind: 'python'; readonly code: string; readonly timeoutMs: number; readonly reset?: boolean };

export type Listener = {
  /** A sample: of fast output, only the newest part is shown. */
  progress(text: string): void;
  readonly signal: AbortSignal;
  /**
   * Gets the connections that the code opens to the proxy that its variables name. It must treat them as hostile. Without it the code
   * has no network at all.
   */
  readonly accept?: ((connection: Duplex) => void) | undefined;
};

/** `ended`: the interpreter died. `memory` and `files`: above the limit of the sandbox. `stopped`: by the signal. */
export const OUTCOMES = ['exit', 'timeout', 'memory', 'files', 'ended', 'stopped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Ran = {
  readonly outcome: Outcome;
  /** Of the shell; of Python 1 after an exception. Null if the process was ended by us before it had one. */
  readonly exitCode: number | null;
  /** The first and the last half of what the limit allows. It may contain anything, such as terminal escapes. */
  readonly output: string;
  readonly outputBytes: number;
  readonly ms: number;
  readonly cpuMs: number;
  /** Python started again for this call: variables of earlier calls are gone. */
  readonly fresh: boolean;
};

export type SandboxFile = {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
};

export type Changes = {
  readonly files: readonly SandboxFile[];
  readonly removed: readonly string[];
  /** Names that can't be kept, as ASCII with escapes. At most 100; `refusedCount` counts all. */
  readonly refused: readonly Refused[];
  readonly refusedCount: number;
  /** Too much changed, so nothing is listed here. Discard the sandbox. */
  readonly excess?: 'files' | 'bytes';
};
export type Refused = { readonly name: string; readonly reason: RefusedReason };

export const REFUSED = {
  link: 'a symbolic link',
  special: 'neither a file nor a folder',
  name: 'a name with control characters, or not in UTF-8',
  path: 'a path that is too long',
  depth: 'folders that are nested too deeply',
} as const;
export type RefusedReason = keyof typeof REFUSED;

export type Strength = {
  readonly rung: 'bubblewrap' | 'runners' | 'none';
  /** Such as `bubblewrap 0.8.0`, or `gVisor` for runners that say so. */
  readonly program?: string;
  /** How many runners could be dialled a moment ago. */
  readonly runners?: { readonly free: number; readonly of: number };
  /** Which hold; without those that are required, no code runs, and `why` says so. */
  readonly layers: readonly Layer[];
  readonly why?: string;
  /** Missing where no code runs. */
  readonly environment?: Environment;
};

/** What each layer denies. */
export const LAYERS = {
  network: 'it can reach no network',
  files: 'it sees no files of this machine but its programs',
  processes: 'it can reach no other process',
  privileges: 'it has no privileges and can gain none',
  calls: 'it can make no system calls that it does not need',
  limits: 'its files are limited',
} as const;
export type Layer = keyof typeof LAYERS;

/** What code finds inside. The digest is that of the rest, and of the program that runs the calls. */
export type Environment = {
  readonly digest: string;
  readonly python: string;
  readonly libraries: readonly { readonly name: string; readonly version: string }[];
  readonly programs: readonly string[];
  readonly missing: readonly string[];
};

export type Limits = {
  readonly processes: number;
  readonly processMemoryBytes: number;
  readonly memoryBytes: number;
  readonly workspaceBytes: number;
  readonly tmpBytes: number;
  readonly fileBytes: number;
  readonly files: number;
  readonly depth: number;
  readonly pathBytes: number;
  readonly outputBytes: number;
  readonly timeoutMs: number;
};

const MIB = 2 ** 20;
export const DEFAULT_LIMITS: Limits = {
  processes: 128,
  processMemoryBytes: 1024 * MIB,
  memoryBytes: 2048 * MIB,
  workspaceBytes: 256 * MIB,
  tmpBytes: 64 * MIB,
  fileBytes: 64 * MIB,
  files: 10_000,
  depth: 32,
  pathBytes: 1024,
  outputBytes: MIB,
  timeoutMs: 600_000,
};

/** No code runs on this machine, or not now. The message says why, and what to do. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';
}

/** All places are taken. That says nothing about how strong they are. */
export class NoneFree extends NoSandbox {}

/** A sandbox ended or broke the rules while it was asked something. A call that it ran may be repeated in a new one. */
export class SandboxLost extends Error {
  override readonly name = 'SandboxLost';
}
