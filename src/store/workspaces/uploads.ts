import type { UploadId } from '#domain/ids.ts';
import type { Purpose, Upload } from '#domain/workspace/upload.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

const columns = ['id', 'filename', 'mediaType', 'purpose', 'sha256', 'bytes', 'createdAt'] as const;

export function insertUpload(trx: OwnedTransaction, owner: Owner, upload: Omit<Upload, 'createdAt'>): Promise<Upload> {
  return trx
    .insertInto('uploadedFiles')
    .values({ ...upload, userId: owner.userId })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** The owner's uploads with these ids. Missing ones are left out. */
export function findUploads(trx: OwnedTransaction, owner: Owner, ids: readonly UploadId[]): Promise<Upload[]> {
  return trx
    .selectFrom('uploadedFiles')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('id', 'in', ids)
    .execute();
}

export type UploadPage = {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The last upload of the page before. It need not exist any more. */
  readonly after?: UploadId | undefined;
  readonly purpose?: Purpose | undefined;
};

/** Ids sort by the time of the upload. */
export function listUploads(
  trx: OwnedTransaction,
  owner: Owner,
  { limit, order, after, purpose }: UploadPage,
): Promise<Upload[]> {
  return trx
    .selectFrom('uploadedFiles')
    .select(columns)
    .where('userId', '=', owner.userId)
    .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose as Purpose))
    .$if(after !== undefined, (query) => query.where('id', order === 'asc' ? '>' : '<', after as UploadId))
    .orderBy('id', order)
    .limit(limit)
    .execute();
}

export async function countUploads(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const { count } = await trx
    .selectFrom('uploadedFiles')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('userId', '=', owner.userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns whether there was one. */
export async function deleteUpload(trx: OwnedTransaction, owner: Owner, id: UploadId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('uploadedFiles')
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
