import type { Generated } from 'kysely';
import type { AttachmentHash, UploadId } from '#domain/ids.ts';
import type { DocumentKind } from '#domain/workspace/document.ts';
import type { Purpose } from '#domain/workspace/upload.ts';

/** Uploaded files, and the documents whose text is read. */
export type FileTables = {
  uploadedFiles: {
    id: UploadId;
    userId: string;
    filename: string;
    mediaType: string;
    purpose: Purpose;
    sha256: AttachmentHash;
    bytes: number;
    createdAt: Generated<Date>;
  };
  documents: {
    number: Generated<string>;
    userId: string;
    sha256: AttachmentHash;
    kind: DocumentKind;
    extractor: Generated<number>;
    reason: string | null;
    pages: Generated<number>;
    emptyPages: Generated<number>;
    tokens: Generated<number>;
    attempts: Generated<number>;
    dueAt: Generated<Date>;
    createdAt: Generated<Date>;
  };
};
