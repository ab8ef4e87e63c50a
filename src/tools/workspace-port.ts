import type { AttachmentHash } from '#domain/ids.ts';
import type { Workspace, WorkspaceFile } from '#domain/workspace/version.ts';

/** A change of a file that a tool wants; null removes it. */
export type FileChange = {
  readonly path: string;
  readonly content: Buffer | null;
  readonly mode?: number;
  /** The hash of the content, if the tool has computed it. */
  readonly sha256?: AttachmentHash;
};

/** The thread's files as a call sees them. Nothing is written before the call's output is. */
export type OpenWorkspace = {
  /** The files as they were when the call began. */
  open(): Promise<Workspace>;
  read(file: WorkspaceFile): Promise<Buffer>;
  /** In their order. */
  readAll(files: readonly WorkspaceFile[]): Promise<Buffer[]>;
  stage(changes: readonly FileChange[], options?: StageOptions): void;
};

export type StageOptions = {
  /** The digest of the environment of the code that made the changes. */
  readonly environment?: string;
  /** Others may have written what was changed, whatever the model had read. */
  readonly isForeign?: boolean;
  /** Called with the version that holds exactly these changes, or undefined if they were not written. */
  readonly onEnd?: (version: number | undefined) => void;
};
