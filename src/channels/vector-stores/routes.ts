import { z } from 'zod';
import type { VectorStores } from '#agent/workspace/vector-stores.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uploadId } from '../model-api/file-id.ts';
import { pageQuery, renderPage } from '../model-api/page.ts';
import { storeSearchFields, toStoreSearch } from '../model-api/store-search.ts';
import { parsedStoreId } from '../model-api/vector-store-id.ts';
import { chunkingStrategy, MOST_ADDED, storeFileRoutes } from './file-routes.ts';
import {
  deletedStore,
  metadata,
  renderDeleted,
  renderFound,
  renderStore,
  searchPage,
  storeObject,
  storePage,
} from './store-object.ts';

export type VectorStoresServices = { readonly vectorStores: VectorStores };

const MOST_QUERIES = 10;
const LONGEST_QUERY = 2000;

const storeParams = z.object({ id: parsedStoreId });

const expiry = z.looseObject({
  anchor: z.literal('last_active_at', 'expires_after.anchor must be last_active_at.'),
  days: z.int().min(1).max(365),
});

const newStore = z
  .looseObject({
    name: z.string().max(256).nullish(),
    description: z.string().max(512).nullish(),
    file_ids: z.array(uploadId).max(MOST_ADDED).nullish().describe('Uploaded files that it begins with.'),
    metadata: metadata.nullish(),
    expires_after: expiry.nullish().describe('Without it, the store stays until it is deleted.'),
    chunking_strategy: chunkingStrategy.nullish(),
  })
  .meta({ id: 'CreateVectorStore', description: 'Unknown fields are ignored.' });

const createStore = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores',
  summary: 'Create a vector store: uploaded files that are searched together.',
  body: newStore,
  responses: { 200: { description: 'The store.', json: storeObject } },
  errors: [400, 404],
  async handle({ principal, body }, { vectorStores }: VectorStoresServices) {
    const created = {
      name: body.name ?? '',
      description: body.description ?? null,
      metadata: body.metadata ?? {},
      expiresDays: body.expires_after?.days ?? null,
    };
    return renderStore(await vectorStores.create(principal, created, body.file_ids ?? []));
  },
});

const getStores = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores',
  summary: "List the caller's vector stores.",
  query: z.object({
    ...pageQuery,
    after: parsedStoreId.optional().describe('The id of the last known store.'),
    before: parsedStoreId.optional().describe('The id of a store that the page ends before.'),
  }),
  responses: { 200: { description: 'A page of stores.', json: storePage } },
  errors: [400],
  async handle({ principal, query }, { vectorStores }: VectorStoresServices) {
    return renderPage((await vectorStores.list(principal, query)).map(renderStore), query.limit);
  },
});

const getStore = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}',
  summary: 'Get a vector store.',
  params: storeParams,
  responses: { 200: { description: 'The store.', json: storeObject } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: VectorStoresServices) {
    return renderStore(await vectorStores.get(principal, params.id));
  },
});

const updateStore = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}',
  summary: 'Change the name, metadata or expiry of a vector store. Fields that are left out stay as they are.',
  params: storeParams,
  body: z
    .looseObject({
      name: newStore.shape.name,
      metadata: newStore.shape.metadata,
      expires_after: expiry.nullish().describe('null: the store stays until it is deleted.'),
    })
    .meta({ id: 'UpdateVectorStore', description: 'Unknown fields are ignored.' }),
  responses: { 200: { description: 'The store.', json: storeObject } },
  errors: [400, 404],
  async handle({ principal, params, body }, { vectorStores }: VectorStoresServices) {
    const { name, metadata: noted, expires_after: expires } = body;
    const changes = {
      ...(name !== undefined && { name: name ?? '' }),
      ...(noted !== undefined && { metadata: noted ?? {} }),
      ...(expires !== undefined && { expiresDays: expires?.days ?? null }),
    };
    return renderStore(await vectorStores.update(principal, params.id, changes));
  },
});

const deleteStore = defineRoute({
  method: 'delete',
  path: '/api/v1/vector_stores/{id}',
  summary: 'Delete a vector store. Its files stay.',
  params: storeParams,
  responses: { 200: { description: 'It is deleted.', json: deletedStore } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: VectorStoresServices) {
    await vectorStores.remove(principal, params.id);
    return renderDeleted(params.id);
  },
});

const query = z.string().trim().min(1).max(LONGEST_QUERY);

const searchStore = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}/search',
  summary: 'Find passages in the files of a vector store, by words and by meaning.',
  params: storeParams,
  body: z
    .looseObject({
      query: z.union(
        [query, z.array(query).min(1).max(MOST_QUERIES)],
        `query must be a text of 1 to ${LONGEST_QUERY} characters, or a list of up to ${MOST_QUERIES} such texts.`,
      ),
      ...storeSearchFields,
      rewrite_query: z.literal(false, 'Queries are searched for as they are. Leave rewrite_query out.').nullish(),
    })
    .meta({ id: 'SearchVectorStore', description: 'Unknown fields are ignored.' }),
  responses: { 200: { description: 'The best passages first.', json: searchPage } },
  errors: [400, 404],
  async handle({ principal, params, body }, { vectorStores }: VectorStoresServices) {
    const queries = [body.query].flat();
    const { found } = await vectorStores.search(principal, toStoreSearch([params.id], body), queries);
    return renderFound(queries, found);
  },
});

/** Vector stores: uploaded files that are searched together. They are also served without `/api`. */
export const vectorStoresRoutes = [
  createStore,
  getStores,
  getStore,
  updateStore,
  deleteStore,
  searchStore,
  ...storeFileRoutes,
];
