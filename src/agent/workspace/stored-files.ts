import { InvalidRequest } from '#domain/errors.ts';
import type { AttachmentHash, WorkspaceId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';
import { ChangesRefused, checkChanges, inWords } from '#domain/workspace/changes.ts';
import type { ChangedFile, Workspace, WorkspaceFile } from '#domain/workspace/version.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { readStoredBytes, readWorkspace } from '#store/workspaces/workspaces.ts';
import type { Attachments } from '../attachments/attachments.ts';

type Owner = Pick<Principal, 'userId'>;

export type WorkspaceLimits = {
  /** The most bytes of the files of one workspace. */
  readonly workspaceBytes: number;
  /** The most bytes that a user can store. */
  readonly userBytes: number;
};

export type StoredFiles = ReturnType<typeof createStoredFiles>;

/** The files of workspaces and their bytes, without any rule of who changes them. */
export function createStoredFiles(
  db: Database,
  attachments: Pick<Attachments, 'store' | 'readPatiently' | 'readAll'>,
  limits: WorkspaceLimits,
) {
  /** Stores bytes, unless the owner has too many. They are not used before a row names them. Throws `ChangesRefused`. */
  async function storeWithin(owner: Owner, contents: ReadonlyMap<AttachmentHash, Buffer>): Promise<void> {
    const stored = await withOwner(db, owner, (trx) => readStoredBytes(trx, owner));
    const added = [...contents.values()].reduce((sum, { length }) => sum + length, 0);
    if (stored + added > limits.userBytes)
      throw new ChangesRefused(`all files of this user would have more than ${inWords(limits.userBytes)} together`);
    await attachments.store(owner, contents);
  }

  /** The bytes of files, in their order. With a signal it waits while they can't be reached. */
  async function bytesOf(
    owner: Owner,
    files: readonly Pick<WorkspaceFile, 'sha256'>[],
    signal?: AbortSignal,
  ): Promise<Buffer[]> {
    const hashes = files.map(({ sha256 }) => sha256);
    const found = await (signal
      ? attachments.readPatiently(owner, hashes, signal)
      : attachments.readAll(owner, hashes));
    return hashes.map((hash) => {
      const bytes = found.get(hash) ?? new AttachmentUnavailable('missing');
      if (Buffer.isBuffer(bytes)) return bytes;
      throw bytes;
    });
  }

  return {
    limits,
    storeWithin,
    bytesOf,

    /** A file, whose bytes are read on request. */
    open: <F extends WorkspaceFile>(owner: Owner, file: F) => ({
      file,
      read: async () => (await bytesOf(owner, [file]))[0] ?? Buffer.of(),
    }),

    /** The files in a version, or in the newest one. */
    readOf: (owner: Owner, id: WorkspaceId, version?: number): Promise<Workspace> =>
      withOwner(db, owner, (trx) => readWorkspace(trx, owner, id, version)),

    /**
     * Checks the limits, and stores the bytes of the changes; they are not used before their version is written. Throws
     * `ChangesRefused`.
     */
    async storeFor(
      owner: Owner,
      { files }: Workspace,
      changes: readonly ChangedFile[],
      contents: ReadonlyMap<AttachmentHash, Buffer>,
    ): Promise<void> {
      checkChanges(files, changes, limits.workspaceBytes);
      const wanted = new Set(changes.map(({ sha256 }) => sha256));
      const needed = new Map([...contents].filter(([hash]) => wanted.has(hash)));
      if (needed.size > 0) await storeWithin(owner, needed);
    },
  };
}

export const notStored = (param: string | null, reason: string) =>
  new InvalidRequest('invalid_request', param, `Not stored: ${reason}.`);

/** The owner reads why their files were refused as the answer to their request. */
export const asInvalid =
  (param: string | null) =>
  (error: unknown): never => {
    throw error instanceof ChangesRefused ? notStored(param, error.message) : error;
  };
