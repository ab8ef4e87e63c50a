import type { AttachmentHash } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { extensionOf } from '#domain/text/media-type.ts';
import { hashOf, isAttached, isStored } from '#domain/thread/attachment.ts';
import { type AttachedPart, type NewItem, partsOf } from '#domain/thread/item.ts';
import { pathFor } from '#domain/workspace/path.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import { type ChangedFile, type NewVersion, PLAIN_FILE } from '#domain/workspace/version.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { TurnInput } from '../input/start-turn.ts';

/** A message whose files are also in the workspace, from the moment that it is accepted. */
type MessageWithFiles = NewItem & { readonly version?: NewVersion };

/** Adds the files of users' messages to the workspace, or to the container of the turn: they are written with the message. */
export async function addMessageFiles(
  attachments: Pick<Attachments, 'store'>,
  owner: Pick<Principal, 'userId'>,
  items: readonly NewItem[],
  { addedFiles = [], request: { container } }: Pick<TurnInput, 'addedFiles' | 'request'>,
): Promise<readonly MessageWithFiles[]> {
  const small = new Map<AttachmentHash, Buffer>(); // they are in their item as well
  const changed = items.map((item, index) => {
    const parts = item.type === 'message' && item.role === 'user' ? partsOf(item).filter(isAttached) : [];
    const added = index === items.length - 1 ? addedFiles : []; // of a replayed history, only the end is new
    if (parts.length + added.length === 0) return item;
    return { ...item, version: { ...versionOf(parts, added, small), ...(container && { workspace: container }) } };
  });
  if (small.size > 0) await attachments.store(owner, small);
  return changed;
}

function versionOf(
  parts: readonly AttachedPart[],
  added: readonly Upload[],
  small: Map<AttachmentHash, Buffer>,
): NewVersion {
  const files = new Map<string, ChangedFile>();
  for (const part of parts) {
    const { sha256, bytes } = contentOf(part, small);
    const path = pathFor(nameOf(part, sha256), (taken) => files.has(taken));
    files.set(path, { path, sha256, bytes, mode: PLAIN_FILE });
  }
  for (const { filename, sha256, bytes } of added) {
    const path = pathFor(filename, (taken) => files.has(taken));
    files.set(path, { path, sha256, bytes, mode: PLAIN_FILE });
  }
  const isForeign = added.length > 0 || parts.some(({ origin }) => origin !== 'own');
  return { base: null, cause: 'message', isForeign, files: [...files.values()] };
}

function contentOf(
  part: AttachedPart,
  small: Map<AttachmentHash, Buffer>,
): Pick<ChangedFile, 'bytes'> & { sha256: AttachmentHash } {
  if (isStored(part)) return part;
  const content = Buffer.from(part.base64, 'base64');
  const sha256 = hashOf(content);
  small.set(sha256, content);
  return { sha256, bytes: content.length };
}

/** Most pictures have no name. */
const nameOf = (part: AttachedPart, sha256: AttachmentHash): string =>
  part.filename || `${part.type}-${sha256.slice(0, 6)}${extensionOf(part.mediaType)}`;
