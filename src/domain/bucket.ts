import { createHash } from 'node:crypto';
import type { AttachmentHash } from './ids.ts';
import type { UserId } from './principal.ts';

/** Stores objects by key, outside the database. Each call throws when the store does not answer. */
export type Bucket = {
  put(key: string, bytes: Buffer): Promise<void>;
  /** Undefined when there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
  /** Keys without an object are ignored. */
  remove(keys: readonly string[]): Promise<void>;
};

/** `object` is new with each row, so that a late removal can't reach the object of a later upload. */
export const objectKey = (userId: UserId, sha256: AttachmentHash, object: string): string =>
  `${ownerPrefix(userId)}${sha256}.${object}`;

/** A hash, because the ids of webhook users have any characters. The trigger that queues removals computes the same. */
export const ownerPrefix = (userId: UserId): string => `${createHash('sha256').update(userId).digest('hex')}/`;
