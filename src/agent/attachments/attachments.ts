import type { Bucket } from '#domain/bucket.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isTextType } from '#domain/text/media-type.ts';
import {
  AttachmentUnavailable,
  findMovableBytes,
  fittingHashes,
  hashOf,
  hashOfPart,
  isAttached,
  isStored,
  leftOut,
  storedHashesOf,
  storedPartsOf,
  toInline,
  toStored,
} from '#domain/thread/attachment.ts';
import {
  type AttachedPart,
  type ContentPart,
  type InlinePart,
  type Item,
  type ItemBody,
  mapParts,
  partsOf,
} from '#domain/thread/item.ts';
import type { Database } from '#store/connection.ts';
import { createStoredBytes, isUnreachable, type ReadAttachments } from './stored-bytes.ts';

type Owner = Pick<Principal, 'userId'>;

export type Attachments = ReturnType<typeof createAttachments>;

/** The bytes of a part, in base64. */
export type Base64Of = (part: AttachedPart) => string;

export type OpenAttachment = {
  readonly mediaType: string;
  readonly filename: string | null;
  readonly hash: AttachmentHash;
  readonly read: () => Promise<Buffer>;
};

/**
 * Keeps the bytes of images and files apart from the items that refer to them: once per owner. Items with
 * bytes inside remain valid. New bytes go to the bucket if there is one; those in PostgreSQL stay there.
 */
export function createAttachments(db: Database, bucket?: Bucket, onUnreachable?: (error: unknown) => void) {
  const { store, readAll, readPatiently } = createStoredBytes(db, bucket, onUnreachable);

  /** Items whose bytes are stored apart from now on. */
  async function keep<I extends ItemBody>(owner: Owner, items: readonly I[]): Promise<readonly I[]> {
    const moved = new Map<ContentPart, ContentPart>();
    const contents = new Map<AttachmentHash, Buffer>();
    for (const part of items.flatMap(partsOf)) {
      const bytes = findMovableBytes(part);
      if (!bytes) continue;
      const hash = hashOf(bytes);
      contents.set(hash, bytes);
      moved.set(part, toStored(part as InlinePart, hash, bytes.length));
    }
    if (moved.size === 0) return items;
    await store(owner, contents);
    return items.map((item) => mapParts(item, (part) => moved.get(part) ?? part));
  }

  /** Throws `AttachmentUnavailable` for the first one that can't be read. */
  async function read(owner: Owner, items: readonly ItemBody[]): Promise<ReadonlyMap<AttachmentHash, Buffer>> {
    const found = await readAll(owner, items.flatMap(storedHashesOf));
    return new Map([...found].map(([hash, bytes]) => [hash, orThrow(bytes)]));
  }

  return {
    keep,
    store,
    readAll,
    readPatiently,

    /** Looks up the bytes of these items, which are read now. */
    async base64Of(owner: Owner, items: readonly ItemBody[]): Promise<Base64Of> {
      const found = await read(owner, items);
      return (part) => {
        if (!isStored(part)) return part.base64;
        const bytes = found.get(part.sha256);
        if (!bytes) throw new AttachmentUnavailable('missing');
        return bytes.toString('base64');
      };
    },

    /** Items with their bytes inside, for a copy that outlives the stored ones. */
    async inline<I extends ItemBody>(owner: Owner, items: readonly I[]): Promise<I[]> {
      const found = await read(owner, items);
      return items.map((item) => mapParts(item, (part) => inlined(part, found)));
    },

    /** An image or a file, whose bytes are read on request. */
    open(owner: Owner, part: AttachedPart): OpenAttachment {
      const filename = part.type === 'file' ? part.filename : null;
      return { mediaType: part.mediaType, filename, hash: hashOfPart(part), read: () => bytesOf(owner, part) };
    },

    /**
     * The history of a turn. Text files in messages and tool outputs are read, because the safety rules look at them. Those
     * that don't fit are left out.
     */
    async openHistory(owner: Owner, items: readonly Item[], signal: AbortSignal): Promise<Item[]> {
      const texts = items.filter((item) => storedPartsOf(item).some(isTextFile));
      if (texts.length === 0) return [...items];
      const fitting = fittingHashes(texts.flatMap((item) => storedPartsOf(item).filter(isTextFile)));
      const found = await readPatiently(owner, [...fitting], signal);
      const unreachable = [...found.values()].find(isUnreachable);
      if (unreachable) throw unreachable; // the prompt might contain it a moment later, unchecked
      const open = (part: ContentPart) =>
        isStored(part) && isTextFile(part) && !fitting.has(part.sha256) ? leftOut(part) : inlined(part, found);
      return items.map((item) => (texts.includes(item) ? mapParts(item, open) : item));
    },
  };

  async function bytesOf(owner: Owner, part: AttachedPart): Promise<Buffer> {
    if (!isStored(part)) return Buffer.from(part.base64, 'base64');
    return orThrow((await readAll(owner, [part.sha256])).get(part.sha256) ?? new AttachmentUnavailable('missing'));
  }
}

const isTextFile = (part: ContentPart): boolean => isAttached(part) && isTextType(part.mediaType);

function inlined(part: ContentPart, found: ReadAttachments): ContentPart {
  const bytes = isStored(part) ? found.get(part.sha256) : undefined;
  return isStored(part) && Buffer.isBuffer(bytes) ? toInline(part, bytes) : part;
}

function orThrow(bytes: Buffer | AttachmentUnavailable): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  throw bytes;
}
