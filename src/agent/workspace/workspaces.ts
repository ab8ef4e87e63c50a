import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { AttachmentUnavailable, hashOf } from '#domain/thread/attachment.ts';
import { ChangesRefused, checkChanges, inWords, realChanges } from '#domain/workspace/changes.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import {
  type ChangedFile,
  type NewVersion,
  PLAIN_FILE,
  type Workspace,
  type WorkspaceFile,
  workspaceOf,
} from '#domain/workspace/version.ts';
import { retryWhileBusy } from '#engine/with-retries.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import {
  listVersions,
  readStoredBytes,
  readWorkspace,
  type VersionRow,
  writeVersion,
} from '#store/workspaces/workspaces.ts';
import type { Attachments } from '../attachments/attachments.ts';

export type { VersionRow } from '#store/workspaces/workspaces.ts';

type Owner = Pick<Principal, 'userId'>;

export type WorkspaceLimits = {
  /** The most bytes of the files of one workspace. */
  readonly workspaceBytes: number;
  /** The most bytes that a user can store. */
  readonly userBytes: number;
};

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** How long the owner waits for a workspace that a turn has locked. */
const PATIENCE_MS = 5000;
/** How often the owner's change is tried again on a newer version. */
const TRIES = 5;

/** The files of threads: the turn reads and writes them with its calls, and their owner at any time. */
export function createWorkspaces(
  db: Database,
  attachments: Pick<Attachments, 'store' | 'readPatiently' | 'readAll'>,
  limits: WorkspaceLimits,
) {
  const readOf = (owner: Owner, thread: ThreadId, version?: number): Promise<Workspace> =>
    withOwner(db, owner, (trx) => readWorkspace(trx, owner, workspaceOf(thread), version));

  /** Checks the limits, and stores the bytes of the changes; they are not used before their version is written. */
  async function storeFor(
    owner: Owner,
    { files }: Workspace,
    changes: readonly ChangedFile[],
    contents: ReadonlyMap<AttachmentHash, Buffer>,
  ): Promise<void> {
    checkChanges(files, changes, limits.workspaceBytes);
    const needed = new Map([...contents].filter(([hash]) => changes.some(({ sha256 }) => sha256 === hash)));
    if (needed.size === 0) return;
    const stored = await withOwner(db, owner, (trx) => readStoredBytes(trx, owner));
    const added = [...needed.values()].reduce((sum, { length }) => sum + length, 0);
    if (stored + added > limits.userBytes)
      throw new ChangesRefused(`all files of this user would have more than ${inWords(limits.userBytes)} together`);
    await attachments.store(owner, needed);
  }

  /** Writes a change of the owner on whichever version is the newest. Resolves to the files after it. */
  async function change(
    owner: Owner,
    thread: ThreadId,
    plan: (now: Workspace) => Promise<Pick<NewVersion, 'cause' | 'files' | 'isForeign'>>,
    contents: ReadonlyMap<AttachmentHash, Buffer> = new Map(),
  ): Promise<Workspace> {
    for (let tries = 1; ; tries++) {
      const now = await requireThread(owner, thread);
      const planned = await plan(now);
      const files = realChanges(now.files, planned.files);
      if (files.length === 0) return now;
      await storeFor(owner, now, files, contents).catch(asInvalid);
      const version = { ...planned, files, base: now.version };
      const write = () => withOwner(db, owner, (trx) => writeVersion(trx, owner, thread, version));
      const { outcome } = await retryWhileBusy({ forMs: PATIENCE_MS }, async () => ({ outcome: await write() }));
      if (outcome === 'written') return readOf(owner, thread);
      if (tries >= TRIES) throw new Conflict('thread_busy', 'The files change too often at the moment. Try again.');
    }
  }

  const requireThread = async (owner: Owner, thread: ThreadId, version?: number): Promise<Workspace> =>
    withOwner(db, owner, async (trx) => {
      if (!(await findThread(trx, owner, thread))) throw new NotFound('There is no such thread.');
      return readWorkspace(trx, owner, workspaceOf(thread), version);
    });

  async function findFile(owner: Owner, thread: ThreadId, given: string, version?: number): Promise<WorkspaceFile> {
    const path = normalizeFilePath(given);
    const file = (await requireThread(owner, thread, version)).files.get(path);
    if (!file) throw new NotFound(`There is no file ${path}.`);
    return file;
  }

  const bytesOf = async (owner: Owner, files: readonly WorkspaceFile[], signal?: AbortSignal): Promise<Buffer[]> => {
    const hashes = files.map(({ sha256 }) => sha256);
    const found = await (signal
      ? attachments.readPatiently(owner, hashes, signal)
      : attachments.readAll(owner, hashes));
    return hashes.map((hash) => {
      const bytes = found.get(hash) ?? new AttachmentUnavailable('missing');
      if (Buffer.isBuffer(bytes)) return bytes;
      throw bytes;
    });
  };

  return {
    readOf,
    bytesOf,
    storeFor,
    limits,

    /** The files of a thread, which must exist. */
    list: requireThread,

    /** A file, whose bytes are read on request. */
    async find(owner: Owner, thread: ThreadId, path: string, version?: number) {
      const file = await findFile(owner, thread, path, version);
      return { file, read: async () => (await bytesOf(owner, [file]))[0] ?? Buffer.of() };
    },

    /** Stores a file of the owner. `own`: they say that they wrote it. */
    put(owner: Owner, thread: ThreadId, given: string, content: Buffer, own: boolean): Promise<Workspace> {
      const path = normalizeFilePath(given);
      const sha256 = hashOf(content);
      const files = [{ path, sha256, bytes: content.length, mode: PLAIN_FILE }];
      return change(
        owner,
        thread,
        async () => ({ cause: 'person', files, isForeign: !own }),
        new Map([[sha256, content]]),
      );
    },

    /** Removes a file; older versions still have it. */
    async remove(owner: Owner, thread: ThreadId, given: string): Promise<Workspace> {
      const { path, mode } = await findFile(owner, thread, given);
      const files = [{ path, sha256: null, bytes: 0, mode }];
      return change(owner, thread, async () => ({ cause: 'person', files, isForeign: false }));
    },

    /** Makes the files, or one of them, what they were in a version. It is a new version, so it can be undone, too. */
    async restore(owner: Owner, thread: ThreadId, version: number, given?: string): Promise<Workspace> {
      const path = given === undefined ? undefined : normalizeFilePath(given);
      return change(owner, thread, async (now) => {
        if (version < 0 || version > now.version) throw new NotFound(`There is no version ${version}.`);
        const then = await readOf(owner, thread, version);
        const paths = path === undefined ? [...new Set([...then.files.keys(), ...now.files.keys()])] : [path];
        return {
          cause: 'restore',
          files: paths.map((each) => then.files.get(each) ?? removed(each)),
          isForeign: false,
        };
      });
    },

    async versions(
      owner: Owner,
      thread: ThreadId,
      {
        path,
        ...page
      }: { readonly path?: string | undefined; readonly before?: number | undefined; readonly limit: number },
    ): Promise<VersionRow[]> {
      await requireThread(owner, thread);
      const at = path === undefined ? undefined : normalizeFilePath(path);
      return withOwner(db, owner, (trx) => listVersions(trx, owner, workspaceOf(thread), { ...page, path: at }));
    },

    storedBytes: (owner: Owner): Promise<number> => withOwner(db, owner, (trx) => readStoredBytes(trx, owner)),
  };
}

const removed = (path: string): ChangedFile => ({ path, sha256: null, bytes: 0, mode: PLAIN_FILE });

/** The owner reads the reason as the answer to their request. */
function asInvalid(error: unknown): never {
  if (error instanceof ChangesRefused)
    throw new InvalidRequest('invalid_request', null, `Not stored: ${error.message}.`);
  throw error;
}
