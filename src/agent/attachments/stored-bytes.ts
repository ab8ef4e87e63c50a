import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, newObjectKey } from '#domain/bucket.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { AttachmentUnavailable, hashOf } from '#domain/thread/attachment.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  type AttachmentRow,
  announceObject,
  findAttachments,
  insertAttachment,
  insertObject,
  markLost,
  touchAttachments,
} from '#store/threads/attachments.ts';
import { createByteCache } from './byte-cache.ts';

type Owner = Pick<Principal, 'userId'>;

/** The bytes of attachments, or why each can't be read. */
export type ReadAttachments = ReadonlyMap<AttachmentHash, Buffer | AttachmentUnavailable>;

const CACHED_BYTES = 32 * 1024 * 1024;
/** How many objects are read from the bucket at once. */
const READ_AT_ONCE = 4;
/** An upload whose object was removed before it was stored starts again. */
const UPLOADS = 2;
/** The waits of a turn while the bucket can't be reached: longer each time, and ten minutes together. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const PATIENCE_MS = 600_000;

/** The bytes of attachments by owner and hash. New ones go to the bucket if there is one; those in PostgreSQL stay there. */
export function createStoredBytes(
  db: Database,
  bucket: Bucket | undefined,
  onUnreachable: (error: unknown) => void = () => {},
) {
  const cache = createByteCache(CACHED_BYTES);
  const cacheKey = ({ userId }: Owner, hash: AttachmentHash) => `${hash} ${userId}`;

  async function store(owner: Owner, contents: ReadonlyMap<AttachmentHash, Buffer>): Promise<void> {
    const hashes = [...contents.keys()];
    const known = await withOwner(db, owner, (trx) => touchAttachments(trx, owner, hashes));
    for (const [hash, content] of contents) {
      if (!known.includes(hash)) await insert(owner, hash, content);
      cache.set(cacheKey(owner, hash), content);
    }
  }

  async function insert(owner: Owner, sha256: AttachmentHash, content: Buffer): Promise<void> {
    if (!bucket) return withOwner(db, owner, (trx) => insertAttachment(trx, owner, sha256, content));
    for (let upload = 0; upload < UPLOADS; upload++) {
      const key = newObjectKey();
      await withOwner(db, owner, (trx) => announceObject(trx, owner, key));
      await reach((to) => to.put(key, content));
      const object = { sha256, bytes: content.length, key };
      if (await withOwner(db, owner, (trx) => insertObject(trx, owner, object))) return;
    }
    throw new AttachmentUnavailable('unreachable');
  }

  /** Any failure of the bucket may pass: it can't be reached, or the operator has to correct a setting. */
  async function reach<T>(ask: (bucket: Bucket) => Promise<T>): Promise<T> {
    try {
      if (!bucket) throw new Error('The attachment is in a bucket, but ATTACHMENTS_BUCKET is not set.');
      return await ask(bucket);
    } catch (error) {
      onUnreachable(error);
      throw new AttachmentUnavailable('unreachable', { cause: error });
    }
  }

  async function readRow(owner: Owner, { sha256, bytes, content, key }: AttachmentRow): Promise<Buffer> {
    const read = content ?? (await reach((from) => from.get(key, bytes)));
    if (read && hashOf(read) === sha256) {
      cache.set(cacheKey(owner, sha256), read);
      return read;
    }
    await withOwner(db, owner, (trx) => markLost(trx, owner, { sha256, key }));
    throw new AttachmentUnavailable(read ? 'corrupted' : 'missing');
  }

  async function readAll(owner: Owner, wanted: readonly AttachmentHash[]): Promise<ReadAttachments> {
    const found = new Map<AttachmentHash, Buffer | AttachmentUnavailable>();
    const missing = [...new Set(wanted)].filter((hash) => {
      const cached = cache.get(cacheKey(owner, hash));
      if (cached) found.set(hash, cached);
      return !cached;
    });
    if (missing.length === 0) return found;
    const rows = await withOwner(db, owner, (trx) => findAttachments(trx, owner, missing));
    for (const hash of missing) found.set(hash, new AttachmentUnavailable('missing'));
    for (let at = 0; at < rows.length; at += READ_AT_ONCE)
      await Promise.all(
        rows.slice(at, at + READ_AT_ONCE).map(async (row) => {
          found.set(row.sha256, await readRow(owner, row).catch(problemOf));
        }),
      );
    return found;
  }

  return {
    store,
    readAll,
    /** Like `readAll`, for a turn: waits while the bucket can't be reached. */
    readPatiently: (owner: Owner, wanted: readonly AttachmentHash[], signal: AbortSignal): Promise<ReadAttachments> =>
      repeatWhileUnreachable(() => readAll(owner, wanted), signal),
  };
}

async function repeatWhileUnreachable(
  read: () => Promise<ReadAttachments>,
  signal: AbortSignal,
): Promise<ReadAttachments> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const found = await read();
    if (![...found.values()].some(isUnreachable) || Date.now() > deadline) return found;
    await sleep(waitMs, undefined, { signal });
  }
}

export const isUnreachable = (bytes: Buffer | AttachmentUnavailable): bytes is AttachmentUnavailable =>
  !Buffer.isBuffer(bytes) && bytes.reason === 'unreachable';

function problemOf(error: unknown): AttachmentUnavailable {
  if (error instanceof AttachmentUnavailable) return error;
  throw error;
}
