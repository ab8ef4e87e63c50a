import type { Documents } from '#documents/documents.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type FileBatchId, newId, type UploadId, type VectorStoreId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Attributes } from '#domain/search/attribute-filter.ts';
import type { FileBatch, FileCounts, StoreFile } from '#domain/search/vector-store.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import {
  cancelFiles,
  countStored,
  countStoreFiles,
  deleteStoreFile,
  findBatch,
  insertBatch,
  insertStoreFiles,
  listStoreFiles,
  type NewStoreFile,
  type StoreFilePage,
  touchStores,
  updateAttributes,
} from '#store/documents/vector-stores.ts';

type Owner = Pick<Principal, 'userId'>;
export type Counted<T> = T & { readonly counts: FileCounts };

/** Acts in a transaction; throws for a store that the owner does not have. */
type InStore = <T>(owner: Owner, id: VectorStoreId, act: (trx: OwnedTransaction) => Promise<T>) => Promise<T>;

/** In all stores of a user. */
const MOST_FILES = 100_000;

/** The files of vector stores, and the batches that they were added in. */
export function createStoreFiles(inStore: InStore, documents: Pick<Documents, 'readPages'>) {
  const getFile = (owner: Owner, id: VectorStoreId, file: UploadId): Promise<StoreFile> =>
    inStore(owner, id, async (trx) => {
      const [found] = await listStoreFiles(trx, owner, id, { limit: 1, order: 'asc', files: [file] });
      if (!found) throw missing();
      return found;
    });

  return {
    getFile,
    ...createBatches(inStore),

    async addFile(owner: Owner, id: VectorStoreId, file: NewStoreFile): Promise<StoreFile> {
      await inStore(owner, id, (trx) => addFiles(trx, owner, id, [file]));
      return getFile(owner, id, file.id);
    },

    /** One more than a page. */
    listFiles: (owner: Owner, id: VectorStoreId, page: StoreFilePage): Promise<StoreFile[]> =>
      inStore(owner, id, (trx) => listStoreFiles(trx, owner, id, { ...page, limit: page.limit + 1 })),

    async updateFile(owner: Owner, id: VectorStoreId, file: UploadId, attributes: Attributes): Promise<StoreFile> {
      await inStore(owner, id, async (trx) => {
        if (!(await updateAttributes(trx, owner, id, { id: file, attributes }))) throw missing();
      });
      return getFile(owner, id, file);
    },

    removeFile: (owner: Owner, id: VectorStoreId, file: UploadId): Promise<void> =>
      inStore(owner, id, async (trx) => {
        if (!(await deleteStoreFile(trx, owner, id, file))) throw missing();
      }),

    /** The text of a file, by page. */
    async readFile(owner: Owner, id: VectorStoreId, file: UploadId): Promise<string[]> {
      const { status, document, pages } = await getFile(owner, id, file);
      if (status !== 'completed' || document === null)
        throw refuse(`This file has no text that could be read: its status is ${status}.`);
      const read = await documents.readPages(owner, { number: document }, { from: 1, to: pages });
      return read.map(({ text }) => text);
    },
  };
}

function createBatches(inStore: InStore) {
  const inBatch = <T>(
    owner: Owner,
    id: VectorStoreId,
    batch: FileBatchId,
    act: (trx: OwnedTransaction, batch: FileBatch) => Promise<T>,
  ): Promise<T> =>
    inStore(owner, id, async (trx) => {
      const found = await findBatch(trx, owner, id, batch);
      if (!found) throw new NotFound('This batch of files does not exist. Batches are kept for 30 days.');
      return act(trx, found);
    });

  return {
    addBatch: (owner: Owner, id: VectorStoreId, given: readonly NewStoreFile[]): Promise<Counted<FileBatch>> =>
      inStore(owner, id, async (trx) => {
        await addFiles(trx, owner, id, given);
        const batch = { id: newId<FileBatchId>(), store: id, files: given.map((file) => file.id) };
        await insertBatch(trx, owner, batch);
        return countBatch(trx, owner, { ...batch, createdAt: new Date() });
      }),

    getBatch: (owner: Owner, id: VectorStoreId, batch: FileBatchId): Promise<Counted<FileBatch>> =>
      inBatch(owner, id, batch, (trx, found) => countBatch(trx, owner, found)),

    cancelBatch: (owner: Owner, id: VectorStoreId, batch: FileBatchId): Promise<Counted<FileBatch>> =>
      inBatch(owner, id, batch, async (trx, found) => {
        await cancelFiles(trx, owner, found);
        return countBatch(trx, owner, found);
      }),

    /** One more than a page. */
    listBatch: (owner: Owner, id: VectorStoreId, batch: FileBatchId, page: StoreFilePage): Promise<StoreFile[]> =>
      inBatch(owner, id, batch, (trx, { files }) =>
        listStoreFiles(trx, owner, id, { ...page, limit: page.limit + 1, files }),
      ),
  };
}

async function countBatch(trx: OwnedTransaction, owner: Owner, batch: FileBatch): Promise<Counted<FileBatch>> {
  const counts = await countStoreFiles(trx, owner, [batch.store], batch.files);
  return { ...batch, counts: counts.get(batch.store) ?? NO_FILES };
}

/** Adds files, unless the owner does not have all of them. One that is named twice gets the last attributes. */
export async function addFiles(
  trx: OwnedTransaction,
  owner: Owner,
  store: VectorStoreId,
  given: readonly NewStoreFile[],
): Promise<void> {
  const files = [...new Map(given.map((file) => [file.id, file])).values()];
  if (files.length === 0) return;
  const stored = await countStored(trx, owner);
  if (stored.files + files.length > MOST_FILES)
    throw refuse(`Your vector stores would have more than ${MOST_FILES} files together. Remove some.`);
  if ((await insertStoreFiles(trx, owner, store, files)) < files.length) throw missing();
  await touchStores(trx, owner, [store]);
}

export const NO_FILES: FileCounts = { in_progress: 0, completed: 0, cancelled: 0, failed: 0, total: 0, bytes: 0 };

const refuse = (message: string) => new InvalidRequest('invalid_request', null, message);
const missing = () => new NotFound('This file does not exist. Upload it to /v1/files, and add it to the store.');
