import { cleanFileName, extensionOf } from '#domain/text/media-type.ts';
import { AttachmentUnavailable, isAttached, sizeOfPart } from '#domain/thread/attachment.ts';
import { type AttachedPart, type ItemBody, partsOf } from '#domain/thread/item.ts';
import type { SentFile } from '../chat-port.ts';

const MOST_FILES = 10;
/** In base64 this still fits into a mail of 25 MB. */
const MOST_BYTES = 15 * 1024 * 1024;

/** A file without content is lost, or too large. */
export type TurnFile = { readonly name: string; readonly file: SentFile | undefined };

/** The first pictures and files that tools have shown. Throws `AttachmentUnavailable` while their storage does not answer. */
export async function loadFiles(
  made: readonly ItemBody[],
  read: (part: AttachedPart) => Promise<Buffer>,
): Promise<TurnFile[]> {
  const parts = made.filter(({ type }) => type === 'function_call_output').flatMap(partsOf);
  const loaded: TurnFile[] = [];
  let room = MOST_BYTES;
  for (const part of parts.filter(isAttached).slice(0, MOST_FILES)) {
    const name = nameOf(part);
    const { mediaType } = part;
    room -= sizeOfPart(part);
    const bytes = room < 0 ? undefined : await read(part).catch(missing);
    loaded.push({ name, file: bytes && { name, mediaType, bytes: new Uint8Array(bytes) } });
  }
  return loaded;
}

function nameOf(part: AttachedPart): string {
  const given = part.type === 'file' && part.filename ? cleanFileName(part.filename) : '';
  return given || `${part.type}${extensionOf(part.mediaType)}`;
}

function missing(error: unknown): undefined {
  if (error instanceof AttachmentUnavailable && error.reason !== 'unreachable') return undefined;
  throw error;
}
