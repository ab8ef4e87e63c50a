import { sql } from 'kysely';
import type { FolderId } from '#domain/ids.ts';
import type { Folder } from '#domain/thread/folder.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

const columns = ['id', 'name', 'createdAt'] as const;

/** By name. */
export function listFolders(trx: OwnedTransaction, owner: Owner): Promise<Folder[]> {
  return trx
    .selectFrom('folders')
    .select(columns)
    .where('userId', '=', owner.userId)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute();
}

/** The folder can't be deleted until the transaction ends. */
export function holdFolder(trx: OwnedTransaction, owner: Owner, id: FolderId): Promise<Folder | undefined> {
  return trx
    .selectFrom('folders')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
}

export function insertFolder(
  trx: OwnedTransaction,
  owner: Owner,
  { id, name }: Pick<Folder, 'id' | 'name'>,
): Promise<Folder> {
  return trx
    .insertInto('folders')
    .values({ userId: owner.userId, id, name })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export function renameFolder(
  trx: OwnedTransaction,
  owner: Owner,
  id: FolderId,
  name: string,
): Promise<Folder | undefined> {
  return trx
    .updateTable('folders')
    .set({ name })
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
}

/** Its threads are in no folder afterwards. Returns whether there was one. */
export async function deleteFolder(trx: OwnedTransaction, owner: Owner, id: FolderId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('folders')
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
