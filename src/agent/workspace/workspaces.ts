import { NotFound } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { type Document, documentKindOf } from '#domain/workspace/document.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import {
  type ChangedFile,
  PLAIN_FILE,
  type Workspace,
  type WorkspaceFile,
  workspaceOf,
} from '#domain/workspace/version.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findDocuments, readPages } from '#store/documents/documents.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { listVersions, readWorkspace, type VersionRow } from '#store/workspaces/workspaces.ts';
import { changeFiles } from './change-files.ts';
import type { StoredFiles } from './stored-files.ts';

export type { VersionRow } from '#store/workspaces/workspaces.ts';

type Owner = Pick<Principal, 'userId'>;

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The files of threads, as their owner sees and changes them. Missing and foreign threads both throw `NotFound`. */
export function createWorkspaces(db: Database, stored: StoredFiles) {
  const parts = { db, stored };
  const open = (owner: Owner, thread: ThreadId, version?: number) => openFiles(db, owner, thread, version);
  const placeOf = (owner: Owner, thread: ThreadId) => ({ thread, open: () => open(owner, thread) });

  return {
    bytesOf: (owner: Owner, files: readonly WorkspaceFile[]): Promise<Buffer[]> => stored.bytesOf(owner, files),
    limits: stored.limits,

    documentsOf: (owner: Owner, files: Workspace) => documentsOf(db, owner, files),

    /** The files of a thread, which must exist. */
    list: open,

    /** A file, whose bytes are read on request. */
    async find(owner: Owner, thread: ThreadId, given: string, version?: number) {
      const path = normalizeFilePath(given);
      const file = fileAt(await open(owner, thread, version), path);
      return { file, read: async () => (await stored.bytesOf(owner, [file]))[0] ?? Buffer.of() };
    },

    /** The text of a page of a document. */
    async readPage(owner: Owner, thread: ThreadId, given: string, page: number) {
      return readPage(db, owner, fileAt(await open(owner, thread), normalizeFilePath(given)), page);
    },

    /** Stores a file of the owner. `own`: they say that they wrote it. */
    put(owner: Owner, thread: ThreadId, given: string, content: Buffer, own: boolean): Promise<Workspace> {
      const path = normalizeFilePath(given);
      const sha256 = hashOf(content);
      const files = [{ path, sha256, bytes: content.length, mode: PLAIN_FILE }];
      return changeFiles(
        parts,
        owner,
        placeOf(owner, thread),
        async () => ({ cause: 'person', files, isForeign: !own }),
        new Map([[sha256, content]]),
      );
    },

    /** Removes a file; older versions still have it. */
    async remove(owner: Owner, thread: ThreadId, given: string): Promise<Workspace> {
      const path = normalizeFilePath(given);
      return changeFiles(parts, owner, placeOf(owner, thread), async (now) => {
        fileAt(now, path);
        return { cause: 'person', files: [removed(path)], isForeign: false };
      });
    },

    /** Restores the files, or one file, from a version. It is a new version, so it can be undone, too. */
    async restore(owner: Owner, thread: ThreadId, version: number, given?: string): Promise<Workspace> {
      const path = given === undefined ? undefined : normalizeFilePath(given);
      return changeFiles(parts, owner, placeOf(owner, thread), async (now) => {
        const then = await stored.readOf(owner, workspaceOf(thread), version);
        if (then.version !== version) throw new NotFound(noVersion(version));
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
      return withOwner(db, owner, async (trx) => {
        await requireThread(trx, owner, thread);
        const at = path === undefined ? undefined : normalizeFilePath(path);
        return listVersions(trx, owner, workspaceOf(thread), { ...page, path: at });
      });
    },
  };
}

function readPage(db: Database, owner: Owner, { path, sha256 }: WorkspaceFile, page: number) {
  return withOwner(db, owner, async (trx) => {
    const [document] = await findDocuments(trx, owner, [sha256]);
    if (document?.state !== 'ready' || page > document.pages)
      throw new NotFound(`The file ${path} has no page ${page} whose text is known.`);
    const [read] = await readPages(trx, owner, document.number, { from: page, to: page });
    return { path, page, pages: document.pages, label: read?.label ?? '', text: read?.text ?? '' };
  });
}

/** What is known of the text of these files. Without documents, nothing is asked. */
async function documentsOf(
  db: Database,
  owner: Owner,
  { files }: Workspace,
): Promise<ReadonlyMap<AttachmentHash, Document>> {
  const hashes = [...files.values()].filter(({ path }) => documentKindOf(path)).map(({ sha256 }) => sha256);
  if (hashes.length === 0) return new Map();
  const found = await withOwner(db, owner, (trx) => findDocuments(trx, owner, hashes));
  return new Map(found.map((document) => [document.sha256, document]));
}

const openFiles = (db: Database, owner: Owner, thread: ThreadId, version?: number): Promise<Workspace> =>
  withOwner(db, owner, async (trx) => {
    await requireThread(trx, owner, thread);
    const found = await readWorkspace(trx, owner, workspaceOf(thread), version);
    if (version !== undefined && found.version !== version) throw new NotFound(noVersion(version));
    return found;
  });

async function requireThread(trx: OwnedTransaction, owner: Owner, thread: ThreadId): Promise<void> {
  if (!(await findThread(trx, owner, thread))) throw new NotFound('This thread does not exist.');
}

function fileAt({ files }: Workspace, path: string): WorkspaceFile {
  const file = files.get(path);
  if (!file) throw new NotFound(`The file ${path} does not exist.`);
  return file;
}

const removed = (path: string): ChangedFile => ({ path, sha256: null, bytes: 0, mode: PLAIN_FILE });

/** It never existed, or is not kept any more. */
const noVersion = (version: number): string => `Version ${version} does not exist.`;
