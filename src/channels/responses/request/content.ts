import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import { type ContentPart, text } from '#domain/thread/item.ts';
import {
  dataUrl,
  isLink,
  type LinkField,
  linkOrDataUrl,
  parseDataUrl,
  parseLinkOrDataUrl,
} from '../../model-api/attachment.ts';
import { fileId, type KnownFiles, namesFile, parseNamedFile, parseNamedImage } from '../../model-api/file-id.ts';
import { fileOrigin, parseFileOrigin, parseTextOrigin, textOrigin } from '../../model-api/origin.ts';

const fileFields = { filename: z.unknown().optional(), ...fileOrigin };

/** The published schema of a content; `parseContent` checks it. */
export const content = z
  .union([
    z.string(),
    z.array(
      z.union([
        z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string(), ...textOrigin }),
        z
          .looseObject({ type: z.literal('refusal'), refusal: z.string() })
          .describe('Read as text: another service refused to answer here.'),
        z.looseObject({ type: z.literal('input_image'), image_url: linkOrDataUrl, ...fileOrigin }),
        z.looseObject({ type: z.literal('input_image'), file_id: fileId, ...fileOrigin }),
        z.looseObject({ type: z.literal('input_file'), file_data: dataUrl, ...fileFields }),
        z.looseObject({ type: z.literal('input_file'), file_url: linkOrDataUrl, ...fileFields }),
        z.looseObject({ type: z.literal('input_file'), file_id: fileId, ...fileFields }),
      ]),
    ),
  ])
  .meta({ id: 'GivenContent' });

export function parseContent(given: unknown, param: string, files: KnownFiles = new Map()): ContentPart[] {
  if (typeof given === 'string') return [text(given)];
  if (!Array.isArray(given)) throw refuse(param, 'The content must be a string or an array of parts.');
  return given.map((part, index) => parsePart(part, `${param}[${index}]`, files));
}

function parsePart(part: unknown, param: string, files: KnownFiles): ContentPart {
  if (!isObject(part)) throw refuse(param, 'A content part must be an object.');
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      if (typeof part['text'] !== 'string') throw refuse(`${param}.text`, 'text must be a string.');
      return { ...text(part['text']), ...parseTextOrigin(part, param) };
    case 'refusal':
      if (typeof part['refusal'] !== 'string') throw refuse(`${param}.refusal`, 'refusal must be a string.');
      return text(part['refusal']);
    case 'input_image':
      return {
        type: 'image',
        ...(namesFile(part, 'image_url')
          ? parseNamedImage(part['file_id'], `${param}.file_id`, files)
          : parseLinkOrDataUrl(part['image_url'], `${param}.image_url`)),
        ...parseFileOrigin(part, param),
      };
    case 'input_file':
      return {
        type: 'file',
        filename: null,
        ...parseFile(part, param, files),
        ...(typeof part['filename'] === 'string' && { filename: part['filename'] }),
        ...parseFileOrigin(part, param),
      };
    default:
      throw refuse(
        `${param}.type`,
        'The type must be input_text, output_text, text, refusal, input_image or input_file.',
      );
  }
}

/** A file comes as `file_data`, by its URL, or by the id of an upload. */
function parseFile(part: Record<string, unknown>, param: string, files: KnownFiles) {
  if (namesFile(part, 'file_data', 'file_url')) return parseNamedFile(part['file_id'], `${param}.file_id`, files);
  return hasFileUrl(part)
    ? parseLinkOrDataUrl(part['file_url'], `${param}.file_url`)
    : parseDataUrl(part['file_data'], `${param}.file_data`);
}

const hasFileUrl = ({ file_data: data, file_url: url }: Record<string, unknown>) =>
  (data ?? undefined) === undefined && (url ?? undefined) !== undefined;

/** The https URLs in an unchecked content. */
export function findLinks(given: unknown, param: string): LinkField[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((part: unknown, index): LinkField[] => {
    if (!isObject(part)) return [];
    if (part['type'] === 'input_image' && isLink(part['image_url']))
      return [{ holder: part, key: 'image_url', kind: 'image', param: `${param}[${index}].image_url` }];
    if (part['type'] === 'input_file' && hasFileUrl(part) && isLink(part['file_url']))
      return [{ holder: part, key: 'file_url', kind: 'file', param: `${param}[${index}].file_url` }];
    return [];
  });
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
