import { InvalidRequest } from '#domain/errors.ts';
import { type ContentPart, text } from '#domain/thread/item.ts';
import { isObject } from './json-value.ts';

/** A content: a string, or parts. Images and files come as data URLs, because nothing is fetched for a caller here. */
export function parseContent(content: unknown, param: string): ContentPart[] {
  if (typeof content === 'string') return [text(content)];
  if (!Array.isArray(content)) throw refuse(param, 'The content must be a string or an array of parts.');
  return content.map((part, index) => parsePart(part, `${param}[${index}]`));
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

function parseDataUrl(url: unknown, param: string): { mediaType: string; base64: string } {
  const parts = typeof url === 'string' ? /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/.exec(url) : null;
  if (!parts?.[1] || !parts[2]) throw refuse(param, 'Send the bytes as a data URL: data:<media type>;base64,<bytes>.');
  return { mediaType: parts[1], base64: parts[2] };
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
