import { z } from 'zod';
import type { VectorStoreId } from '#domain/ids.ts';
import {
  FILE_STATUSES,
  type FileBatch,
  type FileCounts,
  type FoundInStore,
  type StoreFile,
  type VectorStore,
} from '#domain/search/vector-store.ts';
import { fileId, formatFileId } from '../model-api/file-id.ts';
import { pageOf } from '../model-api/page.ts';
import { batchId, formatBatchId, formatStoreId, storeId } from '../model-api/vector-store-id.ts';

const time = z.int().min(0);
const count = z.int().min(0);
const counts = z
  .strictObject({ in_progress: count, completed: count, cancelled: count, failed: count, total: count })
  .meta({ id: 'FileCounts' });
const anchor = z.literal('last_active_at');
const MOST_PAIRS = 16;
const DAY_SECONDS = 86_400;

/** At most 16, as the reference format has it. */
const pairs = <V extends z.ZodType>(value: V, field: string) =>
  z
    .record(z.string().min(1).max(64), value)
    .refine((given) => Object.keys(given).length <= MOST_PAIRS, `${field} may have ${MOST_PAIRS} entries.`);

export const metadata = pairs(z.string().max(512), 'metadata');
export const attributes = pairs(z.union([z.string().max(512), z.number(), z.boolean()]), 'attributes');

export const storeObject = z
  .strictObject({
    id: storeId,
    object: z.literal('vector_store'),
    created_at: time,
    last_active_at: time,
    name: z.string(),
    description: z.string().nullable(),
    usage_bytes: count.describe('Of the files that are searched.'),
    file_counts: counts,
    status: z.enum(['in_progress', 'completed']),
    metadata: z.record(z.string(), z.string()),
    expires_after: z
      .strictObject({ anchor, days: z.int().min(1) })
      .optional()
      .describe('Missing for a store that stays until it is deleted.'),
    expires_at: time.nullable(),
  })
  .meta({ id: 'VectorStore' });

export const storeFileObject = z
  .strictObject({
    id: fileId,
    object: z.literal('vector_store.file'),
    created_at: time,
    usage_bytes: count,
    vector_store_id: storeId,
    status: z.enum(FILE_STATUSES),
    last_error: z.strictObject({ code: z.enum(['unsupported_file', 'invalid_file']), message: z.string() }).nullable(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    chunking_strategy: z.strictObject({
      type: z.literal('static'),
      static: z.strictObject({ max_chunk_size_tokens: z.literal(400), chunk_overlap_tokens: z.literal(0) }),
    }),
  })
  .meta({ id: 'VectorStoreFile' });

export const batchObject = z
  .strictObject({
    id: batchId,
    object: z.literal('vector_store.files_batch'),
    created_at: time,
    vector_store_id: storeId,
    status: z.enum(['in_progress', 'completed', 'cancelled']),
    file_counts: counts,
  })
  .meta({ id: 'VectorStoreFileBatch' });

const text = z.strictObject({ type: z.literal('text'), text: z.string() });

export const contentPage = z
  .strictObject({
    object: z.literal('vector_store.file_content.page'),
    data: z.array(text).describe('A text for each page.'),
    has_more: z.literal(false),
    next_page: z.null(),
  })
  .meta({ id: 'VectorStoreFileContent' });

export const searchPage = z
  .strictObject({
    object: z.literal('vector_store.search_results.page'),
    search_query: z.array(z.string()),
    data: z.array(
      z.strictObject({
        file_id: fileId,
        filename: z.string(),
        score: z.number().min(0).max(1).describe('By rank: the first by words and by meaning has 1.'),
        attributes: storeFileObject.shape.attributes.describe('Those of the file, and `page`.'),
        content: z.array(text),
      }),
    ),
    has_more: z.literal(false),
    next_page: z.null(),
  })
  .meta({ id: 'VectorStoreSearchResults' });

export const storePage = pageOf(storeObject, 'VectorStorePage');
export const storeFilePage = pageOf(storeFileObject, 'VectorStoreFilePage');

export const deletedStore = z
  .strictObject({ id: storeId, object: z.literal('vector_store.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedVectorStore' });

export const deletedStoreFile = z
  .strictObject({ id: fileId, object: z.literal('vector_store.file.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedVectorStoreFile' });

type Counted<T> = T & { readonly counts: FileCounts };

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
const renderCounts = ({ bytes: _, ...counted }: FileCounts) => counted;

export const renderStore = (store: Counted<VectorStore>): z.infer<typeof storeObject> => ({
  id: formatStoreId(store.id),
  object: 'vector_store',
  created_at: seconds(store.createdAt),
  last_active_at: seconds(store.lastActiveAt),
  name: store.name,
  description: store.description,
  usage_bytes: store.counts.bytes,
  file_counts: renderCounts(store.counts),
  status: store.counts.in_progress > 0 ? 'in_progress' : 'completed',
  metadata: store.metadata,
  ...(store.expiresDays !== null && { expires_after: { anchor: 'last_active_at', days: store.expiresDays } }),
  expires_at: store.expiresDays === null ? null : seconds(store.lastActiveAt) + store.expiresDays * DAY_SECONDS,
});

export const renderStoreFile = (file: StoreFile): z.infer<typeof storeFileObject> => ({
  id: formatFileId(file.id),
  object: 'vector_store.file',
  created_at: seconds(file.createdAt),
  usage_bytes: file.status === 'completed' ? file.bytes : 0,
  vector_store_id: formatStoreId(file.store),
  status: file.status,
  last_error: file.status === 'failed' ? renderError(file) : null,
  attributes: file.attributes,
  chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 400, chunk_overlap_tokens: 0 } },
});

const renderError = ({ document, reason }: StoreFile) =>
  document === null
    ? { code: 'unsupported_file' as const, message: UNSUPPORTED }
    : { code: 'invalid_file' as const, message: reason ?? '' };

const UNSUPPORTED = "The text of files with this name's ending is not read. See /docs for the kinds of documents.";

/** A batch of which something was cancelled stays so. */
export const renderBatch = ({
  id,
  store,
  createdAt,
  counts: counted,
}: Counted<FileBatch>): z.infer<typeof batchObject> => ({
  id: formatBatchId(id),
  object: 'vector_store.files_batch',
  created_at: seconds(createdAt),
  vector_store_id: formatStoreId(store),
  status: counted.in_progress > 0 ? 'in_progress' : counted.cancelled > 0 ? 'cancelled' : 'completed',
  file_counts: renderCounts(counted),
});

export const renderFound = (
  queries: readonly string[],
  found: readonly FoundInStore[],
): z.infer<typeof searchPage> => ({
  object: 'vector_store.search_results.page',
  search_query: [...queries],
  data: found.map(({ file, page, text: said, score }) => ({
    file_id: formatFileId(file.id),
    filename: file.filename,
    score,
    attributes: { page, ...file.attributes },
    content: [{ type: 'text', text: said }],
  })),
  has_more: false,
  next_page: null,
});

export const renderDeleted = (id: VectorStoreId): z.infer<typeof deletedStore> => ({
  id: formatStoreId(id),
  object: 'vector_store.deleted',
  deleted: true,
});
