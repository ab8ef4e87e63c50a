import { randomUUID } from 'node:crypto';
import type { ObjectKey } from './ids.ts';

/** Stores the bytes of attachments outside PostgreSQL. Every operation can be repeated. */
export type Bucket = {
  put(key: ObjectKey, content: Buffer): Promise<void>;
  /** Undefined if the object does not exist. An object longer than `maxBytes` is cut one byte after that. */
  get(key: ObjectKey, maxBytes: number): Promise<Buffer | undefined>;
  /** Succeeds even if the object does not exist. */
  remove(key: ObjectKey): Promise<void>;
};

/** Contains neither the user nor the hash, so that a list of all keys shows nothing about the attachments. */
export const newObjectKey = (): ObjectKey => `attachments/${randomUUID()}` as ObjectKey;
