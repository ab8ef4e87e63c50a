import { escapeTags } from './block.ts';

const MAX_BYTES = 32 * 1024;

/**
 * What somebody else wrote, in a wrapper by which the model knows it for data: a field of an event, a tool's output, a
 * fetched page. Nothing inside can close the wrapper. What is too long is cut, and says so.
 */
export function wrapUntrusted(text: string, source: string): string {
  const { kept, mark } = cut(text);
  const inner = escapeTags(kept) + mark;
  const gap = /[\n\r]/.test(inner) ? '\n' : '';
  return `<untrusted-data source="${attribute(source)}">${gap}${inner}${gap}</untrusted-data>`;
}

function cut(text: string): { kept: string; mark: string } {
  const size = Buffer.byteLength(text);
  if (size <= MAX_BYTES) return { kept: text, mark: '' };

  const bytes = Buffer.from(text);
  let end = MAX_BYTES;
  while (isInsideCharacter(bytes[end])) end--;
  return { kept: bytes.toString('utf8', 0, end), mark: `\n[Cut here: ${size - end} of ${size} bytes are left out.]` };
}

/** In UTF-8 every byte of a character but its first one begins with the bits 10. */
const isInsideCharacter = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;

/** A source can be an address that somebody else chose. */
function attribute(source: string): string {
  const plain = source.slice(0, 200).replace(/[^\w.:/?#=&+~@%,-]/g, '_');
  return escapeTags(plain.replaceAll('&', '&amp;'));
}
