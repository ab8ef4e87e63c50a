import type { FileBatchId, UploadId, VectorStoreId } from '#domain/ids.ts';
import type { Attributes } from '#domain/search/attribute-filter.ts';
import type { FileBatch, FileCounts, FileStatus, StoreFile, VectorStore } from '#domain/search/vector-store.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

const COLUMNS = `id, name, description, metadata, expires_days as "expiresDays", last_active_at as "lastActiveAt",
  created_at as "createdAt"`;

/** An expired one is as good as deleted. */
const LIVE = '(expires_days is null or last_active_at > now() - make_interval(days => expires_days))';

export async function insertStore(
  trx: OwnedTransaction,
  owner: Owner,
  { id, name, description, metadata, expiresDays }: Omit<VectorStore, 'lastActiveAt' | 'createdAt'>,
): Promise<void> {
  await runStatement(
    trx,
    'insert into vector_stores (id, user_id, name, description, metadata, expires_days) values ($2, $1, $3, $4, $5, $6)',
    [owner.userId, id, name, description, JSON.stringify(metadata), expiresDays],
  );
}

/** The owner's stores with these ids. Missing ones are left out. */
export function findStores(trx: OwnedTransaction, owner: Owner, ids: readonly VectorStoreId[]): Promise<VectorStore[]> {
  return runStatement<VectorStore>(
    trx,
    `select ${COLUMNS} from vector_stores where user_id = $1 and id = any ($2::uuid[]) and ${LIVE}`,
    [owner.userId, ids],
  );
}

export type StorePage<Id> = {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The last entry of the page before, and the first of the page after. They need not exist any more. */
  readonly after?: Id | undefined;
  readonly before?: Id | undefined;
};

/** Ids sort by the time of their creation. */
export function listStores(
  trx: OwnedTransaction,
  owner: Owner,
  { limit, order, after, before }: StorePage<VectorStoreId>,
): Promise<VectorStore[]> {
  return runStatement<VectorStore>(
    trx,
    `select ${COLUMNS} from vector_stores where user_id = $1 and ${LIVE} ${between('id', order)} order by id ${order} limit $4`,
    [owner.userId, after ?? null, before ?? null, limit],
  );
}

const between = (id: string, order: 'asc' | 'desc') => {
  const [beyond, ahead] = order === 'asc' ? ['>', '<'] : ['<', '>'];
  return `and ($2::uuid is null or ${id} ${beyond} $2) and ($3::uuid is null or ${id} ${ahead} $3)`;
};

export async function updateStore(
  trx: OwnedTransaction,
  owner: Owner,
  { id, name, metadata, expiresDays }: Pick<VectorStore, 'id' | 'name' | 'metadata' | 'expiresDays'>,
): Promise<void> {
  await runStatement(
    trx,
    'update vector_stores set name = $3, metadata = $4, expires_days = $5 where user_id = $1 and id = $2',
    [owner.userId, id, name, JSON.stringify(metadata), expiresDays],
  );
}

/** Counts them as used now. */
export async function touchStores(trx: OwnedTransaction, owner: Owner, ids: readonly VectorStoreId[]): Promise<void> {
  await runStatement(
    trx,
    'update vector_stores set last_active_at = now() where user_id = $1 and id = any ($2::uuid[])',
    [owner.userId, ids],
  );
}

export async function deleteStore(trx: OwnedTransaction, owner: Owner, id: VectorStoreId): Promise<void> {
  await runStatement(trx, 'delete from vector_stores where user_id = $1 and id = $2', [owner.userId, id]);
}

/** How many stores the owner has, and files in all of them. */
export async function countStored(trx: OwnedTransaction, owner: Owner): Promise<{ stores: number; files: number }> {
  const [row] = await runStatement<{ stores: number; files: number }>(
    trx,
    `select (select count(*)::integer from vector_stores where user_id = $1) as stores,
      (select count(*)::integer from vector_store_files where user_id = $1) as files`,
    [owner.userId],
  );
  return row ?? { stores: 0, files: 0 };
}

export type NewStoreFile = { readonly id: UploadId; readonly attributes: Attributes };

/** Adds the owner's files among these, each once, and returns how many they are. One that is there already gets the new attributes. */
export async function insertStoreFiles(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  files: readonly NewStoreFile[],
): Promise<number> {
  const written = await runStatement(
    trx,
    `insert into vector_store_files (store_id, file_id, user_id, attributes)
     select $2, uploaded.id, $1, given.attributes::json
     from unnest($3::uuid[], $4::text[]) as given (id, attributes)
     join uploaded_files as uploaded on uploaded.id = given.id and uploaded.user_id = $1
     on conflict (store_id, file_id)
       do update set attributes = excluded.attributes, is_cancelled = false, created_at = excluded.created_at
     returning file_id`,
    [owner.userId, store, files.map(({ id }) => id), files.map(({ attributes }) => JSON.stringify(attributes))],
  );
  return written.length;
}

/** The files of stores, with the state of their documents. */
const FILES = `
  select file.file_id as id, file.store_id as store, file.attributes, file.created_at as "createdAt", filename,
    uploaded.sha256, bytes, document.number as document, document.reason, coalesce(document.pages, 0) as pages,
    case when is_cancelled then 'cancelled' when document.number is null then 'failed' when extractor = 0 then 'in_progress'
      when reason is null then 'completed' else 'failed' end as status
  from vector_store_files as file
  join uploaded_files as uploaded on uploaded.id = file.file_id and uploaded.user_id = file.user_id
  left join documents as document on document.user_id = file.user_id and document.sha256 = uploaded.sha256
  where file.user_id = $1`;

export type StoreFilePage = StorePage<UploadId> & {
  readonly status?: FileStatus | undefined;
  /** Only these. */
  readonly files?: readonly UploadId[] | undefined;
};

/** In the order of their upload. */
export function listStoreFiles(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  { limit, order, after, before, status, files }: StoreFilePage,
): Promise<StoreFile[]> {
  return runStatement<StoreFile>(
    trx,
    `select * from (${FILES} and file.store_id = $5 and ($6::uuid[] is null or file.file_id = any ($6))) as listed
     where ($7::text is null or status = $7) ${between('id', order)} order by id ${order} limit $4`,
    [owner.userId, after ?? null, before ?? null, limit, store, files ?? null, status ?? null],
  );
}

/** All files of some stores, the oldest first. */
export function readStoreFiles(
  trx: OwnedTransaction,
  owner: Owner,
  stores: readonly VectorStoreId[],
): Promise<StoreFile[]> {
  return runStatement<StoreFile>(trx, `${FILES} and file.store_id = any ($2::uuid[]) order by id`, [
    owner.userId,
    stores,
  ]);
}

/** Of all files of some stores, or of these files. A store without files is left out. */
export async function countStoreFiles(
  trx: OwnedTransaction,
  owner: Owner,
  stores: readonly VectorStoreId[],
  files?: readonly UploadId[],
): Promise<Map<VectorStoreId, FileCounts>> {
  const rows = await runStatement<FileCounts & { store: VectorStoreId }>(
    trx,
    `select store, count(*)::integer as total, (coalesce(sum(bytes) filter (where status = 'completed'), 0))::float8 as bytes,
       ${['in_progress', 'completed', 'cancelled', 'failed'].map((status) => `(count(*) filter (where status = '${status}'))::integer as ${status}`).join(', ')}
     from (${FILES} and file.store_id = any ($2::uuid[]) and ($3::uuid[] is null or file.file_id = any ($3))) as counted
     group by store`,
    [owner.userId, stores, files ?? null],
  );
  return new Map(rows.map(({ store, ...counts }) => [store, counts]));
}

/** Returns whether there was one. */
export async function updateAttributes(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  { id, attributes }: NewStoreFile,
): Promise<boolean> {
  const changed = await runStatement(
    trx,
    'update vector_store_files set attributes = $4 where user_id = $1 and store_id = $2 and file_id = $3 returning file_id',
    [owner.userId, store, id, JSON.stringify(attributes)],
  );
  return changed.length > 0;
}

/** Returns whether there was one. */
export async function deleteStoreFile(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  id: UploadId,
): Promise<boolean> {
  const gone = await runStatement(
    trx,
    'delete from vector_store_files where user_id = $1 and store_id = $2 and file_id = $3 returning file_id',
    [owner.userId, store, id],
  );
  return gone.length > 0;
}

export async function insertBatch(
  trx: OwnedTransaction,
  owner: Owner,
  { id, store, files }: Omit<FileBatch, 'createdAt'>,
): Promise<void> {
  await runStatement(
    trx,
    'insert into vector_store_batches (id, store_id, user_id, file_ids) values ($2, $3, $1, $4::uuid[])',
    [owner.userId, id, store, files],
  );
}

export async function findBatch(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  id: FileBatchId,
): Promise<FileBatch | undefined> {
  const [row] = await runStatement<FileBatch>(
    trx,
    `select id, store_id as store, file_ids as files, created_at as "createdAt" from vector_store_batches
     where user_id = $1 and store_id = $2 and id = $3`,
    [owner.userId, store, id],
  );
  return row;
}

/** Those whose text is not read yet are not searched, also when it is. */
export async function cancelFiles(
  trx: OwnedTransaction,
  owner: Owner,
  { store, files }: Pick<FileBatch, 'store' | 'files'>,
): Promise<void> {
  await runStatement(
    trx,
    `update vector_store_files set is_cancelled = true
     where user_id = $1 and store_id = $2 and file_id in (
       select id from (${FILES} and file.store_id = $2 and file.file_id = any ($3::uuid[])) as listed where status = 'in_progress')`,
    [owner.userId, store, files],
  );
}
