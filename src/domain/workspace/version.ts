import type { AttachmentHash, ThreadId, WorkspaceId } from '../ids.ts';
import { type DocumentKind, documentKindOf, needsExtraction } from './document.ts';

/** The files of a thread in one version. The bytes are attachments. */
export type Workspace = {
  readonly id: WorkspaceId;
  /** 0 until the first file. */
  readonly version: number;
  /** Others may have written something in it. */
  readonly isForeign: boolean;
  readonly files: ReadonlyMap<string, WorkspaceFile>;
  /** A digest of the files among them that belong to the thread's project and are in no version. */
  readonly shared?: string;
};

export type WorkspaceFile = {
  readonly path: string;
  readonly sha256: AttachmentHash;
  readonly bytes: number;
  /** The permissions, as in Unix. */
  readonly mode: number;
  /** The version that changed it last. */
  readonly version: number;
};

/** What made a version. `message`: files that came with a message. */
export type VersionCause = 'call' | 'message' | 'person' | 'restore' | 'copy';

/** A change of one file; without a hash the file is removed. */
export type ChangedFile = Pick<WorkspaceFile, 'path' | 'bytes' | 'mode'> & { readonly sha256: AttachmentHash | null };

/** A version that is not written yet. */
export type NewVersion = {
  /** The thread's own when left out. */
  readonly workspace?: WorkspaceId;
  /** The version that it changes; null: the newest when it is written. */
  readonly base: number | null;
  readonly cause: VersionCause;
  readonly isForeign: boolean;
  /** The digest of the environment of the code that changed the files. */
  readonly environment?: string;
  readonly files: readonly ChangedFile[];
};

/** A thread's own workspace has the id of the thread. */
export const workspaceOf = (thread: ThreadId): WorkspaceId => thread as string as WorkspaceId;

/** The files that a turn works on: its thread's files, unless its request names a container. */
export const workspaceOfTurn = ({ threadId, request }: TurnPlace): WorkspaceId =>
  request.container ?? workspaceOf(threadId);

type TurnPlace = { readonly threadId: ThreadId; readonly request: { readonly container?: WorkspaceId } };

export const PLAIN_FILE = 0o644;
const EXECUTABLE = 0o755;

/** Only whether a file can be executed is kept. */
export const keptMode = (mode: number): number => ((mode & 0o100) === 0 ? PLAIN_FILE : EXECUTABLE);

/** A new version as `write_version` takes it. */
export const versionFields = ({ isForeign, files, ...version }: NewVersion): object => ({
  ...version,
  is_foreign: isForeign,
  files: files.map(({ path, sha256, bytes, mode }) => ({ path, sha256, bytes, mode, ...kindOf(path, version.cause) })),
});

/** Of the files that code makes, only those that can't be read as they are: it can make thousands of texts. */
function kindOf(path: string, cause: VersionCause): { kind?: DocumentKind } {
  const kind = documentKindOf(path);
  return kind && (cause !== 'call' || needsExtraction(kind)) ? { kind } : {};
}
