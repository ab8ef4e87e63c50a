import { NotFound } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type Document, documentKindOf } from '#domain/workspace/document.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { type Workspace, type WorkspaceFile, workspaceOf } from '#domain/workspace/version.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findDocuments, readPages } from '#store/documents/documents.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { listVersions, readWorkspace, type VersionRow } from '#store/workspaces/workspaces.ts';
import { type Change, changeFiles, getFile, removed, removing, storing } from './change-files.ts';
import type { StoredFiles } from './stored-files.ts';

export type { VersionRow } from '#store/workspaces/workspaces.ts';

type Owner = Pick<Principal, 'userId'>;

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The files of threads, as their owner sees and changes them. Missing and foreign threads both throw `NotFound`. */
export function createWorkspaces(db: Database, stored: StoredFiles) {
  const open = (owner: Owner, thread: ThreadId, version?: number) => openFiles(db, owner, thread, version);
  const change = (owner: Owner, thread: ThreadId, given: Change) =>
    changeFiles({ db, stored }, owner, { thread, open: () => open(owner, thread) }, given);

  return {
    bytesOf: (owner: Owner, files: readonly WorkspaceFile[]): Promise<Buffer[]> => stored.bytesOf(owner, files),
    limits: stored.limits,

    documentsOf: (owner: Owner, files: Workspace) => documentsOf(db, owner, files),

    /** The files of a thread, which must exist. */
    list: open,

    /** A file, whose bytes are read on request. */
    async find(owner: Owner, thread: ThreadId, given: string, version?: number) {
      const path = normalizeFilePath(given);
      return stored.open(owner, getFile(await open(owner, thread, version), path));
    },

    /** The text of a page of a document. */
    async readPage(owner: Owner, thread: ThreadId, given: string, page: number) {
      return readPage(db, owner, getFile(await open(owner, thread), normalizeFilePath(given)), page);
    },

    /** Stores a file of the owner. `own`: they say that they wrote it. */
    put: (owner: Owner, thread: ThreadId, path: string, content: Buffer, own: boolean): Promise<Workspace> =>
      change(owner, thread, storing(path, content, own)),

    /** Removes a file; older versions still have it. */
    remove: (owner: Owner, thread: ThreadId, path: string): Promise<Workspace> => change(owner, thread, removing(path)),

    /** Restores the files, or one file, from a version. It is a new version, so it can be undone, too. */
    async restore(owner: Owner, thread: ThreadId, version: number, given?: string): Promise<Workspace> {
      const path = given === undefined ? undefined : normalizeFilePath(given);
      const plan: Change['plan'] = async (now) => {
        const then = await stored.readOf(owner, workspaceOf(thread), version);
        if (then.version !== version) throw new NotFound(noVersion(version));
        const paths = path === undefined ? [...new Set([...then.files.keys(), ...now.files.keys()])] : [path];
        return {
          cause: 'restore',
          files: paths.map((each) => then.files.get(each) ?? removed(each)),
          isForeign: false,
        };
      };
      return change(owner, thread, { plan });
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

/** It never existed, or is not kept any more. */
const noVersion = (version: number): string => `Version ${version} does not exist.`;
