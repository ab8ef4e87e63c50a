import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { hexFromUuid, type UploadId, uuidFromHex } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { StoredPart } from '#domain/thread/item.ts';
import type { Upload } from '#domain/workspace/upload.ts';

const PATTERN = /^file-([0-9a-f]{32})$/;

export const fileId = z.string().regex(PATTERN).describe('The id of an uploaded file.');

export const formatFileId = (id: UploadId): string => `file-${hexFromUuid(id)}`;

export function parseFileId(id: string): UploadId | undefined {
  const hex = PATTERN.exec(id)?.[1];
  return hex === undefined ? undefined : uuidFromHex(hex);
}

/** The caller's uploaded files that a request names, by their id on the wire. */
export type KnownFiles = ReadonlyMap<string, Upload>;

export const toKnownFiles = (uploads: readonly Upload[]): KnownFiles =>
  new Map(uploads.map((upload) => [formatFileId(upload.id), upload]));

/** The ids of files that the parts of an unchecked content name, beside their type or in an object `file`. */
export function fileIdsIn(content: unknown): UploadId[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    const holder = isObject(part) && isObject(part['file']) ? part['file'] : part;
    const id = isObject(holder) ? holder['file_id'] : undefined;
    return (typeof id === 'string' && parseFileId(id)) || [];
  });
}

/** Whether a part names a file, and has none of the fields that would come first. */
export const namesFile = (part: Record<string, unknown>, ...others: readonly string[]): boolean =>
  (part['file_id'] ?? undefined) !== undefined && others.every((name) => (part[name] ?? undefined) === undefined);

type NamedFile = Pick<StoredPart, 'mediaType' | 'sha256' | 'bytes' | 'fileId'> & { readonly filename: string };

/** The file that a part names. It refers to the bytes of the upload, which are not read here. */
export function parseNamedFile(given: unknown, param: string, known: KnownFiles): NamedFile {
  const found = typeof given === 'string' ? known.get(given) : undefined;
  if (!found)
    throw new InvalidRequest('invalid_request', param, 'There is no such file. Upload it to /v1/files first.');
  const { id, filename, mediaType, sha256, bytes } = found;
  return { mediaType, sha256, bytes, filename, fileId: id };
}

/** The same for an image, which has no name. */
export function parseNamedImage(given: unknown, param: string, known: KnownFiles): Omit<NamedFile, 'filename'> {
  const { filename: _, ...image } = parseNamedFile(given, param, known);
  if (!image.mediaType.startsWith('image/'))
    throw new InvalidRequest('invalid_request', param, `The file is ${image.mediaType}, which is not an image.`);
  return image;
}
