import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { type ContentPart, text } from '#domain/thread/item.ts';
import { dataUrl, parseDataUrl } from '../../model-api/data-url.ts';
import { isObject } from '../../model-api/json-value.ts';

/** The published schema of a content; `parseContent` checks it. Images and files are data URLs: the service fetches nothing here. */
export const content = z.union([
  z.string(),
  z.array(
    z.union([
      z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
      z.looseObject({ type: z.literal('input_image'), image_url: dataUrl }),
      z.looseObject({ type: z.literal('input_file'), file_data: dataUrl, filename: z.unknown().optional() }),
    ]),
  ),
]);

export function parseContent(given: unknown, param: string): ContentPart[] {
  if (typeof given === 'string') return [text(given)];
  if (!Array.isArray(given)) throw refuse(param, 'The content must be a string or an array of parts.');
  return given.map((part, index) => parsePart(part, `${param}[${index}]`));
}

function parsePart(part: unknown, param: string): ContentPart {
  if (!isObject(part)) throw refuse(param, 'A content part must be an object.');
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      if (typeof part['text'] !== 'string') throw refuse(`${param}.text`, 'text must be a string.');
      return text(part['text']);
    case 'input_image':
      return { type: 'image', ...parseDataUrl(part['image_url'], `${param}.image_url`) };
    case 'input_file':
      return {
        type: 'file',
        ...parseDataUrl(part['file_data'], `${param}.file_data`),
        filename: typeof part['filename'] === 'string' ? part['filename'] : null,
      };
    default:
      throw refuse(`${param}.type`, 'The type must be input_text, output_text, text, input_image or input_file.');
  }
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
