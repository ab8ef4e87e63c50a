import { escapeTags } from './block.ts';

const MAX_BYTES = 32 * 1024;

/**
 * What somebody else wrote, in a wrapper by which the model knows it for data: a field of an event, a tool's output, a
 * fetched page. Nothing inside can close the wrapper. What is too long is cut, and says so.
 */
export function wrapUntrusted(text: string, source: string, maxBytes: number = MAX_BYTES): string {
  const { kept, mark } = cut(text, maxBytes);
  const inner = escapeTags(kept) + mark;
  const gap = /[\n\r]/.test(inner) ? '\n' : '';
  return `<untrusted-data source="${attribute(source)}">${gap}${inner}${gap}</untrusted-data>`;
}

/** The words of the one who speaks, without what is wrapped in them. */
export function withoutUntrusted(text: string): string {
  return text.replace(WRAPPED, ' ');
}

/** What is wrapped in the text. */
export function untrustedIn(text: string): string {
  return (text.match(WRAPPED) ?? []).map((wrapped) => wrapped.replace(TAGS, '')).join('\n');
}

/** A wrapper that is not closed reaches to the end. */
const WRAPPED = /<untrusted-data source="[^"]*">[^]*?(?:<\/untrusted-data>|$)/g;
const TAGS = /^<untrusted-data source="[^"]*">\n?|\n?<\/untrusted-data>$/g;

function cut(text: string, maxBytes: number): { kept: string; mark: string } {
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return { kept: text, mark: '' };

  const bytes = Buffer.from(text);
  let end = maxBytes;
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
