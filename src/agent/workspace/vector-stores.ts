import type { Documents } from '#documents/documents.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type UploadId, type VectorStoreId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { FileCounts, StoreFindings, StoreSearch, VectorStore } from '#domain/search/vector-store.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import {
  countStored,
  countStoreFiles,
  deleteStore,
  findStores,
  insertStore,
  listStores,
  readStoreFiles,
  type StorePage,
  touchStores,
  updateStore,
} from '#store/documents/vector-stores.ts';
import { searchFiles } from './search-stores.ts';
import { addFiles, type Counted, createStoreFiles, NO_FILES } from './store-files.ts';

type Owner = Pick<Principal, 'userId'>;
type NewStore = Omit<VectorStore, 'id' | 'lastActiveAt' | 'createdAt'>;

export type VectorStores = ReturnType<typeof createVectorStores>;

const MOST_STORES = 1000;

/** Uploaded files that are searched together. Missing, foreign and expired stores all throw `NotFound`. */
export function createVectorStores(db: Database, documents: Pick<Documents, 'search' | 'readPages'>) {
  const inStore = <T>(
    owner: Owner,
    id: VectorStoreId,
    act: (trx: OwnedTransaction, store: VectorStore) => Promise<T>,
  ): Promise<T> => withOwner(db, owner, async (trx) => act(trx, await getStore(trx, owner, id)));

  return {
    ...createStoreFiles(inStore, documents),

    get: (owner: Owner, id: VectorStoreId): Promise<Counted<VectorStore>> =>
      inStore(owner, id, (trx, store) => withCounts(trx, owner, store)),

    create: (owner: Owner, given: NewStore, files: readonly UploadId[]): Promise<Counted<VectorStore>> =>
      withOwner(db, owner, async (trx) => {
        const { stores } = await countStored(trx, owner);
        if (stores >= MOST_STORES)
          throw new InvalidRequest(
            'invalid_request',
            null,
            `You have ${MOST_STORES} vector stores already. Delete some.`,
          );
        const id = newId<VectorStoreId>();
        await insertStore(trx, owner, { id, ...given });
        const added = files.map((file) => ({ id: file, attributes: {} }));
        await addFiles(trx, owner, id, added);
        return withCounts(trx, owner, await getStore(trx, owner, id));
      }),

    /** One more than a page, so that the caller knows whether there are others. */
    list: (owner: Owner, page: StorePage<VectorStoreId>): Promise<Counted<VectorStore>[]> =>
      withOwner(db, owner, async (trx) => {
        const stores = await listStores(trx, owner, { ...page, limit: page.limit + 1 });
        const ids = stores.map(({ id }) => id);
        const counts = await countStoreFiles(trx, owner, ids);
        return stores.map((store) => ({ ...store, counts: counts.get(store.id) ?? NO_FILES }));
      }),

    /** Fields that are left out stay as they are. */
    update: (owner: Owner, id: VectorStoreId, changes: Partial<NewStore>): Promise<Counted<VectorStore>> =>
      inStore(owner, id, async (trx, store) => {
        const changed = { ...store, ...changes };
        await updateStore(trx, owner, changed);
        return withCounts(trx, owner, changed);
      }),

    /** Its files stay. */
    remove: (owner: Owner, id: VectorStoreId): Promise<void> =>
      inStore(owner, id, (trx) => deleteStore(trx, owner, id)),

    /** Throws unless the owner has all of these. */
    check: (owner: Owner, ids: readonly VectorStoreId[]): Promise<void> =>
      withOwner(db, owner, (trx) => checkStores(trx, owner, ids)),

    /** The passages of these stores that best match one of the queries, the best first. */
    async search(owner: Owner, asked: StoreSearch, queries: readonly string[]): Promise<StoreFindings> {
      const files = await withOwner(db, owner, async (trx) => {
        await checkStores(trx, owner, asked.stores);
        await touchStores(trx, owner, asked.stores);
        return readStoreFiles(trx, owner, asked.stores);
      });
      return searchFiles(documents, owner, files, asked, queries);
    },
  };
}

async function getStore(trx: OwnedTransaction, owner: Owner, id: VectorStoreId): Promise<VectorStore> {
  const [store] = await findStores(trx, owner, [id]);
  if (!store) throw missing();
  return store;
}

async function checkStores(trx: OwnedTransaction, owner: Owner, ids: readonly VectorStoreId[]): Promise<void> {
  const found = await findStores(trx, owner, ids);
  if (found.length < new Set(ids).size) throw missing();
}

async function withCounts(trx: OwnedTransaction, owner: Owner, store: VectorStore): Promise<Counted<VectorStore>> {
  const counts: ReadonlyMap<VectorStoreId, FileCounts> = await countStoreFiles(trx, owner, [store.id]);
  return { ...store, counts: counts.get(store.id) ?? NO_FILES };
}

const missing = () => new NotFound('This vector store does not exist, or it has expired.');
