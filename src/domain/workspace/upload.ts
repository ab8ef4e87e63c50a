import type { AttachmentHash, UploadId } from '../ids.ts';

export const PURPOSES = ['assistants', 'user_data', 'vision'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A file that its owner can name in requests. The bytes are an attachment. */
export type Upload = {
  readonly id: UploadId;
  readonly filename: string;
  readonly mediaType: string;
  /** As the uploader has said; nothing depends on it. */
  readonly purpose: Purpose;
  readonly sha256: AttachmentHash;
  readonly bytes: number;
  readonly createdAt: Date;
};
