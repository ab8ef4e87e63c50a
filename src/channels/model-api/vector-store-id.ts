import { z } from 'zod';
import { type FileBatchId, hexFromUuid, uuidFromHex, type VectorStoreId } from '#domain/ids.ts';

const STORE = /^vs_([0-9a-f]{32})$/;
const BATCH = /^vsfb_([0-9a-f]{32})$/;
export const NO_STORE = 'This vector store does not exist, or it has expired. Create one with /v1/vector_stores.';

export const storeId = z.string().regex(STORE, NO_STORE).describe('The id of a vector store.');
export const batchId = z.string().regex(BATCH, 'This batch of files does not exist.');

/** The ids as they are used inside. */
export const parsedStoreId = storeId.transform((id) => uuidFromHex<VectorStoreId>(id.slice('vs_'.length)));
export const parsedBatchId = batchId.transform((id) => uuidFromHex<FileBatchId>(id.slice('vsfb_'.length)));

export const formatStoreId = (id: VectorStoreId): string => `vs_${hexFromUuid(id)}`;
export const formatBatchId = (id: FileBatchId): string => `vsfb_${hexFromUuid(id)}`;
