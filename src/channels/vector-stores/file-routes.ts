import { z } from 'zod';
import type { VectorStores } from '#agent/workspace/vector-stores.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { FILE_STATUSES } from '#domain/search/vector-store.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { formatFileId, uploadId } from '../model-api/file-id.ts';
import { pageQuery, renderPage } from '../model-api/page.ts';
import { parsedBatchId, parsedStoreId } from '../model-api/vector-store-id.ts';
import {
  attributes,
  batchObject,
  contentPage,
  deletedStoreFile,
  renderBatch,
  renderStoreFile,
  storeFileObject,
  storeFilePage,
} from './store-object.ts';

type Services = { readonly vectorStores: VectorStores };

/** Of one request. */
export const MOST_ADDED = 500;

/** Passages are cut at pages, paragraphs and sentences. */
export const chunkingStrategy = z.looseObject({
  type: z.literal(
    'auto',
    'Files are cut into passages of about 400 tokens without overlap. chunking_strategy must have the type auto.',
  ),
});

const newFile = z.looseObject({
  file_id: uploadId,
  attributes: attributes.nullish(),
  chunking_strategy: chunkingStrategy.nullish(),
});

const storeParams = z.object({ id: parsedStoreId });
const fileParams = z.object({ id: parsedStoreId, file: uploadId });
const batchParams = z.object({ id: parsedStoreId, batch: parsedBatchId });

const fileQuery = z.object({
  ...pageQuery,
  after: uploadId.optional().describe('The id of the last known file.'),
  before: uploadId.optional().describe('The id of a file that the page ends before.'),
  filter: z.enum(FILE_STATUSES, `filter must be ${FILE_STATUSES.join(' or ')}.`).optional(),
});

const addFile = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}/files',
  summary: 'Add an uploaded file to a vector store.',
  params: storeParams,
  body: newFile.meta({ id: 'CreateVectorStoreFile', description: 'Unknown fields are ignored.' }),
  responses: { 200: { description: 'The file, whose text may not be read yet.', json: storeFileObject } },
  errors: [400, 404],
  async handle({ principal, params, body }, { vectorStores }: Services) {
    const file = { id: body.file_id, attributes: body.attributes ?? {} };
    return renderStoreFile(await vectorStores.addFile(principal, params.id, file));
  },
});

const getFiles = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}/files',
  summary: 'List the files of a vector store, by the time of their upload.',
  params: storeParams,
  query: fileQuery,
  responses: { 200: { description: 'A page of files.', json: storeFilePage } },
  errors: [400, 404],
  async handle({ principal, params, query: { filter: status, ...page } }, { vectorStores }: Services) {
    const found = await vectorStores.listFiles(principal, params.id, { ...page, status });
    return renderPage(found.map(renderStoreFile), page.limit);
  },
});

const getFile = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}/files/{file}',
  summary: 'Get a file of a vector store, and how far its text is read.',
  params: fileParams,
  responses: { 200: { description: 'The file.', json: storeFileObject } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: Services) {
    return renderStoreFile(await vectorStores.getFile(principal, params.id, params.file));
  },
});

const updateFile = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}/files/{file}',
  summary: 'Replace the attributes of a file of a vector store.',
  params: fileParams,
  body: z
    .looseObject({ attributes: attributes.nullable() })
    .meta({ id: 'UpdateVectorStoreFile', description: 'Unknown fields are ignored.' }),
  responses: { 200: { description: 'The file.', json: storeFileObject } },
  errors: [400, 404],
  async handle({ principal, params, body }, { vectorStores }: Services) {
    return renderStoreFile(await vectorStores.updateFile(principal, params.id, params.file, body.attributes ?? {}));
  },
});

const deleteFile = defineRoute({
  method: 'delete',
  path: '/api/v1/vector_stores/{id}/files/{file}',
  summary: 'Remove a file from a vector store. The uploaded file stays.',
  params: fileParams,
  responses: { 200: { description: 'It is removed.', json: deletedStoreFile } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: Services) {
    await vectorStores.removeFile(principal, params.id, params.file);
    return { id: formatFileId(params.file), object: 'vector_store.file.deleted' as const, deleted: true as const };
  },
});

const getFileContent = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}/files/{file}/content',
  summary: 'Get the text of a file of a vector store, by page.',
  params: fileParams,
  responses: { 200: { description: 'The text.', json: contentPage } },
  errors: [400, 404],
  async handle({ principal, params }, { vectorStores }: Services) {
    const pages = await vectorStores.readFile(principal, params.id, params.file);
    return {
      object: 'vector_store.file_content.page' as const,
      data: pages.map((text) => ({ type: 'text' as const, text })),
      has_more: false as const,
      next_page: null,
    };
  },
});

const addBatch = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}/file_batches',
  summary: 'Add several uploaded files to a vector store, and wait for them together.',
  params: storeParams,
  body: z
    .looseObject({
      file_ids: z.array(uploadId).min(1).max(MOST_ADDED).nullish(),
      files: z.array(newFile).min(1).max(MOST_ADDED).nullish().describe('Files with their own attributes.'),
      attributes: attributes.nullish().describe('Of all files in `file_ids`.'),
      chunking_strategy: chunkingStrategy.nullish(),
    })
    .meta({ id: 'CreateVectorStoreFileBatch', description: 'Either `file_ids` or `files`.' }),
  responses: { 200: { description: 'The batch.', json: batchObject } },
  errors: [400, 404],
  async handle({ principal, params, body }, { vectorStores }: Services) {
    const { file_ids: ids, files, attributes: shared } = body;
    if (!ids === !files || (files && shared))
      throw new InvalidRequest('invalid_request', 'file_ids', 'Send either files, or file_ids with attributes.');
    const added = [
      ...(ids ?? []).map((id) => ({ id, attributes: shared ?? {} })),
      ...(files ?? []).map((file) => ({ id: file.file_id, attributes: file.attributes ?? {} })),
    ];
    return renderBatch(await vectorStores.addBatch(principal, params.id, added));
  },
});

const getBatch = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}/file_batches/{batch}',
  summary: 'Get a batch of files, and how far they are read. It is kept for 30 days.',
  params: batchParams,
  responses: { 200: { description: 'The batch.', json: batchObject } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: Services) {
    return renderBatch(await vectorStores.getBatch(principal, params.id, params.batch));
  },
});

const cancelBatch = defineRoute({
  method: 'post',
  path: '/api/v1/vector_stores/{id}/file_batches/{batch}/cancel',
  summary: 'Cancel a batch: files whose text is not read yet will not be searched.',
  params: batchParams,
  responses: { 200: { description: 'The batch.', json: batchObject } },
  errors: [404],
  async handle({ principal, params }, { vectorStores }: Services) {
    return renderBatch(await vectorStores.cancelBatch(principal, params.id, params.batch));
  },
});

const getBatchFiles = defineRoute({
  method: 'get',
  path: '/api/v1/vector_stores/{id}/file_batches/{batch}/files',
  summary: 'List the files of a batch.',
  params: batchParams,
  query: fileQuery,
  responses: { 200: { description: 'A page of files.', json: storeFilePage } },
  errors: [400, 404],
  async handle({ principal, params, query: { filter: status, ...page } }, { vectorStores }: Services) {
    const found = await vectorStores.listBatch(principal, params.id, params.batch, { ...page, status });
    return renderPage(found.map(renderStoreFile), page.limit);
  },
});

/** The files of vector stores, and batches of them. */
export const storeFileRoutes = [
  addFile,
  getFiles,
  getFile,
  updateFile,
  deleteFile,
  getFileContent,
  addBatch,
  getBatch,
  cancelBatch,
  getBatchFiles,
];
