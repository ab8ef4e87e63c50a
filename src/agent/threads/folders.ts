import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type FolderId, newId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type Folder, MAX_FOLDERS } from '#domain/thread/folder.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteFolder, insertFolder, listFolders, renameFolder } from '#store/threads/folders.ts';

export type Folders = ReturnType<typeof createFolders>;

/** The folders of a user. Missing and foreign folders both throw `NotFound`. */
export function createFolders(db: Database) {
  return {
    list: (owner: Principal): Promise<Folder[]> => withOwner(db, owner, (trx) => listFolders(trx, owner)),

    create: (owner: Principal, name: string): Promise<Folder> =>
      withOwner(db, owner, async (trx) => {
        const known = await listFolders(trx, owner);
        checkName(known, name);
        if (known.length >= MAX_FOLDERS)
          throw new InvalidRequest('invalid_request', 'name', `You may have ${MAX_FOLDERS} folders. Delete one.`);
        return insertFolder(trx, owner, { id: newId<FolderId>(), name });
      }),

    rename: (owner: Principal, id: FolderId, name: string): Promise<Folder> =>
      withOwner(db, owner, async (trx) => {
        const known = await listFolders(trx, owner);
        checkName(
          known.filter((folder) => folder.id !== id),
          name,
        );
        const folder = await renameFolder(trx, owner, id, name);
        if (!folder) throw noFolder();
        return folder;
      }),

    /** Its threads stay. */
    remove: (owner: Principal, id: FolderId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        if (!(await deleteFolder(trx, owner, id))) throw noFolder();
      }),
  };
}

const noFolder = () => new NotFound('This folder does not exist.');

function checkName(others: readonly Folder[], name: string): void {
  const isSame = (folder: Folder) => folder.name.toLowerCase() === name.toLowerCase();
  if (others.some(isSame)) throw new Conflict('already_exists', `There is a folder "${name}" already.`);
}
