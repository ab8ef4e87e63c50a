import type { AttachmentHash, FileBatchId, UploadId, VectorStoreId } from '../ids.ts';
import type { AttributeFilter, Attributes } from './attribute-filter.ts';

/** Uploaded files whose texts are searched together. */
export type VectorStore = {
  readonly id: VectorStoreId;
  readonly name: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** It is deleted so long after it was last used; null: never. */
  readonly expiresDays: number | null;
  readonly lastActiveAt: Date;
  readonly createdAt: Date;
};

export const FILE_STATUSES = ['in_progress', 'completed', 'cancelled', 'failed'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** A file of a store, and how far its text is read. */
export type StoreFile = {
  readonly id: UploadId;
  readonly store: VectorStoreId;
  readonly attributes: Attributes;
  readonly filename: string;
  readonly sha256: AttachmentHash;
  readonly bytes: number;
  readonly status: FileStatus;
  /** The number of its document; null for a file whose text is never read. */
  readonly document: string | null;
  /** Why its text can't be read. */
  readonly reason: string | null;
  readonly pages: number;
  readonly createdAt: Date;
};

/** How many files have which status. `bytes`: of those that are searched. */
export type FileCounts = Readonly<Record<FileStatus | 'total' | 'bytes', number>>;

/** Files that were added together. */
export type FileBatch = {
  readonly id: FileBatchId;
  readonly store: VectorStoreId;
  readonly files: readonly UploadId[];
  readonly createdAt: Date;
};

/** What a request says about searches in its stores. */
export type StoreSearch = {
  readonly stores: readonly VectorStoreId[];
  /** The most passages. */
  readonly limit: number;
  /** Only in files with such attributes. */
  readonly filter?: AttributeFilter;
  /** Only passages with this score at least. */
  readonly leastScore?: number;
};

/** A passage that was found. */
export type FoundInStore = {
  readonly file: Pick<StoreFile, 'id' | 'filename' | 'attributes'>;
  readonly page: number;
  readonly text: string;
  /** By its ranks, from 0 to 1: the first by words and by meaning has 1. */
  readonly score: number;
};

export type StoreFindings = {
  readonly found: readonly FoundInStore[];
  /** The names of files that were not searched, because their text is not read. */
  readonly unread: readonly string[];
};
