import { createHash } from 'node:crypto';
import type { AttachmentHash } from '../ids.ts';
import {
  type AttachedPart,
  type ContentPart,
  type InlinePart,
  type ItemBody,
  partsOf,
  type StoredPart,
  type TextPart,
  text,
  textByOthers,
} from './item.ts';

/** The bytes of an attachment can't be read. `unreachable`: the same request may succeed later. */
export class AttachmentUnavailable extends Error {
  override readonly name = 'AttachmentUnavailable';
  readonly reason: 'missing' | 'corrupted' | 'unreachable';

  constructor(reason: AttachmentUnavailable['reason'], options?: ErrorOptions) {
    super(MESSAGES[reason], options);
    this.reason = reason;
  }
}

const MESSAGES = {
  missing: 'An image or a file of this thread is missing from the storage of attachments. Send it again.',
  corrupted: 'An image or a file of this thread was changed in the storage of attachments. Send it again.',
  unreachable: 'The storage of attachments does not answer. Try again later.',
} as const;

/** Smaller attachments stay in their item, because a separate row takes as much space. In characters of base64. */
const LEAST_STORED = 1024;

export const isStored = (part: ContentPart): part is StoredPart => 'sha256' in part;
export const isAttached = (part: ContentPart): part is AttachedPart => part.type !== 'text';

/** The bytes of a part that can leave its item. Base64 in an unusual form stays, because callers get back what they sent. */
export function findMovableBytes(part: ContentPart): Buffer | undefined {
  if (!isAttached(part) || isStored(part) || part.base64.length < LEAST_STORED) return undefined;
  const bytes = Buffer.from(part.base64, 'base64');
  return bytes.toString('base64') === part.base64 ? bytes : undefined;
}

export function toStored({ base64: _, ...media }: InlinePart, sha256: AttachmentHash, bytes: number): StoredPart {
  return { ...media, sha256, bytes };
}

export function toInline({ sha256: _, bytes: __, ...media }: StoredPart, content: Buffer): InlinePart {
  return { ...media, base64: content.toString('base64') };
}

export const hashOf = (bytes: Buffer): AttachmentHash =>
  createHash('sha256').update(bytes).digest('hex') as AttachmentHash;

/** The same for a part with its bytes and for a part with a reference to them. */
export const hashOfPart = (part: AttachedPart): AttachmentHash =>
  isStored(part) ? part.sha256 : hashOf(Buffer.from(part.base64, 'base64'));

export const sizeOfPart = (part: AttachedPart): number =>
  isStored(part) ? part.bytes : Buffer.byteLength(part.base64, 'base64');

/** The attachments that an item refers to. */
export const storedPartsOf = (item: ItemBody): StoredPart[] => partsOf(item).filter(isStored);

export const storedHashesOf = (item: ItemBody): AttachmentHash[] => [
  ...new Set(storedPartsOf(item).map(({ sha256 }) => sha256)),
];

/** The size of all attachments that the items refer to. */
export const attachedBytes = (items: readonly ItemBody[]): number =>
  items.flatMap(storedPartsOf).reduce((sum, { bytes }) => sum + bytes, 0);

/** How many bytes of attachments one prompt can hold: 32 MiB in base64. Older ones are left out. */
const MAX_PROMPT_BYTES = 24 * 1024 * 1024;

/** The attachments that fit into a prompt, the newest first. `parts` are in the order of the thread. */
export function fittingHashes(parts: readonly StoredPart[]): ReadonlySet<AttachmentHash> {
  const fitting = new Set<AttachmentHash>();
  let total = 0;
  for (const { sha256, bytes } of parts.toReversed()) {
    if (fitting.has(sha256)) continue;
    total += bytes;
    if (total > MAX_PROMPT_BYTES) break;
    fitting.add(sha256);
  }
  return fitting;
}

/** Replaces an attachment that does not fit into the prompt. */
export const leftOut = (part: StoredPart): TextPart =>
  noteFor(part, `[${part.type} left out: the prompt holds only the newest attachments]`);

/** A note in place of an attachment. It keeps the origin: the model may have read the attachment before. */
export const noteFor = ({ origin }: AttachedPart, note: string): TextPart =>
  origin === 'own' ? text(note) : textByOthers(note, 'file');

/** The first items whose attachments have at most `maxBytes` together, and at least one item. */
export function firstWithin<I extends ItemBody>(items: readonly I[], maxBytes: number): readonly I[] {
  let total = 0;
  const end = items.findIndex((item, index) => {
    total += attachedBytes([item]);
    return index > 0 && total > maxBytes;
  });
  return end < 0 ? items : items.slice(0, end);
}
