import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { hexFromUuid, type UploadId, uuidFromHex } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { StoredPart } from '#domain/thread/item.ts';
import type { Upload } from '#domain/workspace/upload.ts';

const PATTERN = /^file-([0-9a-f]{32})$/;

export const fileId = z
  .string()
  .regex(PATTERN, 'This must be the id of an uploaded file.')
  .describe('The id of an uploaded file.');

export const formatFileId = (id: UploadId): string => `file-${hexFromUuid(id)}`;

export function parseFileId(id: string): UploadId | undefined {
  const hex = PATTERN.exec(id)?.[1];
  return hex === undefined ? undefined : uuidFromHex(hex);
}

/** The id of an uploaded file in a body. */
export const uploadId = fileId.transform((given) => parseFileId(given) ?? z.NEVER);

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

type NamedMedia = Pick<StoredPart, 'mediaType' | 'sha256' | 'bytes' | 'fileId'>;

/** The file that a part names. It refers to the bytes of the upload, which are not read here. */
export function parseNamedFile(given: unknown, param: string, known: KnownFiles): NamedMedia & { filename: string } {
  const found = findNamed(given, param, known);
  return { ...mediaOf(found), filename: found.filename };
}

/** The same for an image, which has no name. */
export function parseNamedImage(given: unknown, param: string, known: KnownFiles): NamedMedia {
  const found = findNamed(given, param, known);
  if (!found.mediaType.startsWith('image/'))
    throw new InvalidRequest('invalid_request', param, `The file is ${found.mediaType}, which is not an image.`);
  return mediaOf(found);
}

function findNamed(given: unknown, param: string, known: KnownFiles): Upload {
  const found = typeof given === 'string' ? known.get(given) : undefined;
  if (!found)
    throw new InvalidRequest('invalid_request', param, 'This file does not exist. Upload it to /v1/files first.');
  return found;
}

const mediaOf = ({ id, mediaType, sha256, bytes }: Upload): NamedMedia => ({ mediaType, sha256, bytes, fileId: id });
