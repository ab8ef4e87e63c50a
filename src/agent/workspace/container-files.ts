import { NotFound } from '#domain/errors.ts';
import type { UploadId, WorkspaceId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { type Container, fileDigits } from '#domain/workspace/container.ts';
import { pathFor } from '#domain/workspace/path.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import { type ChangedFile, PLAIN_FILE, type VersionCause, type WorkspaceFile } from '#domain/workspace/version.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findVersions } from '#store/workspaces/containers.ts';
import { findUploads } from '#store/workspaces/uploads.ts';
import { readWorkspace } from '#store/workspaces/workspaces.ts';
import { changeFiles, removed } from './change-files.ts';
import type { StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

/** A file with what is known about its last change. */
export type ContainerFile = WorkspaceFile & { readonly cause: VersionCause; readonly createdAt: Date };

/** The files of containers. `get` throws for a container that the owner does not have. */
export function createContainerFiles(
  db: Database,
  stored: StoredFiles,
  get: (owner: Owner, id: WorkspaceId) => Promise<Container>,
) {
  const parts = { db, stored };

  const placeOf = (owner: Owner, { id, threadId }: Container) => ({
    thread: threadId,
    open: async () => {
      await get(owner, id);
      return stored.readOf(owner, id);
    },
  });

  async function uploadsOf(owner: Owner, ids: readonly UploadId[]): Promise<Upload[]> {
    const found = ids.length === 0 ? [] : await withOwner(db, owner, (trx) => findUploads(trx, owner, ids));
    if (new Set(ids).size > found.length) throw noFile();
    return found;
  }

  /** Adds files under the names that they came with. One that is there already is replaced. */
  async function add(owner: Owner, id: WorkspaceId, given: readonly GivenFile[]): Promise<ContainerFile[]> {
    const container = await get(owner, id);
    const files = toChanges(given);
    const contents = new Map(given.flatMap(({ content }) => (content ? [[hashOf(content), content] as const] : [])));
    const plan = async () => ({ cause: 'person' as const, files, isForeign: true });
    await changeFiles(parts, owner, placeOf(owner, container), { plan, contents });
    const paths = new Set(files.map(({ path }) => path));
    return (await filesOf(owner, id)).filter(({ path }) => paths.has(path));
  }

  /** The newest version, in the order of the last changes. */
  async function filesOf(owner: Owner, id: WorkspaceId): Promise<ContainerFile[]> {
    await get(owner, id);
    return readFiles(db, owner, id);
  }

  async function getFile(owner: Owner, id: WorkspaceId, digits: string): Promise<ContainerFile> {
    const file = (await filesOf(owner, id)).find(({ path }) => fileDigits(id, path) === digits);
    if (!file) throw noFile();
    return file;
  }

  return {
    filesOf,
    getFile,
    uploadsOf,
    add,

    /** The paths of its files; none if the container does not exist. */
    namesOf: async (owner: Owner, id: WorkspaceId): Promise<ReadonlySet<string>> =>
      new Set((await stored.readOf(owner, id)).files.keys()),

    /** Stores a file under the last part of its name. */
    addFile: async (owner: Owner, id: WorkspaceId, file: Pick<GivenFile, 'filename'> & { readonly content: Buffer }) =>
      first(await add(owner, id, [file])),

    addUpload: async (owner: Owner, id: WorkspaceId, upload: UploadId) =>
      first(await add(owner, id, await uploadsOf(owner, [upload]))),

    /** The file, whose bytes are read on request. */
    async openFile(owner: Owner, id: WorkspaceId, digits: string) {
      return stored.open(owner, await getFile(owner, id, digits));
    },

    async removeFile(owner: Owner, id: WorkspaceId, digits: string): Promise<void> {
      const { path, mode } = await getFile(owner, id, digits);
      const files = [{ ...removed(path), mode }];
      const plan = async () => ({ cause: 'person' as const, files, isForeign: false });
      await changeFiles(parts, owner, placeOf(owner, await get(owner, id)), { plan });
    },
  };
}

const readFiles = (db: Database, owner: Owner, id: WorkspaceId): Promise<ContainerFile[]> =>
  withOwner(db, owner, async (trx) => {
    const files = [...(await readWorkspace(trx, owner, id)).files.values()];
    const versions = await findVersions(trx, owner, id, [...new Set(files.map(({ version }) => version))]);
    const byNumber = new Map(versions.map((version) => [version.version, version]));
    const known = files.flatMap((file) => {
      const made = byNumber.get(file.version);
      return made ? [{ ...file, cause: made.cause, createdAt: made.createdAt }] : [];
    });
    return known.toSorted((one, other) => one.version - other.version);
  });

/** With its bytes, or an upload whose bytes are stored. */
type GivenFile =
  | { readonly filename: string; readonly content: Buffer; readonly sha256?: undefined }
  | (Pick<Upload, 'filename' | 'sha256' | 'bytes'> & { readonly content?: undefined });

function toChanges(given: readonly GivenFile[]): ChangedFile[] {
  const changes = new Map<string, ChangedFile>();
  for (const file of given) {
    const path = pathFor(file.filename, (taken) => changes.has(taken));
    const { sha256, bytes } = file.content ? { sha256: hashOf(file.content), bytes: file.content.length } : file;
    changes.set(path, { path, sha256, bytes, mode: PLAIN_FILE });
  }
  return [...changes.values()];
}

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw noFile();
  return one;
}

const noFile = () => new NotFound('This file does not exist.');
