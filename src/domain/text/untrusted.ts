import { escapeTags } from './block.ts';
import { cutBytes } from './cut.ts';

const MAX_BYTES = 32 * 1024;

/**
 * Wraps foreign text so that the model treats it as data: a field of an event, a tool's output, a fetched page. Nothing
 * inside can close the wrapper. Long text is cut, with a note that says so.
 */
export function wrapUntrusted(text: string, source: string, maxBytes: number = MAX_BYTES): string {
  const { kept, note } = cutBytes(text, maxBytes);
  const inner = escapeTags(kept) + note;
  const gap = /[\n\r]/.test(inner) ? '\n' : '';
  return `<untrusted-data source="${attribute(source)}">${gap}${inner}${gap}</untrusted-data>`;
}

/** The text without its wrapped parts. */
export function withoutUntrusted(text: string): string {
  return text.replace(WRAPPED, ' ');
}

/** The wrapped parts of the text. */
export function untrustedIn(text: string): string {
  return wrappedIn(text)
    .map((wrapped) => wrapped.text)
    .join('\n');
}

/** The wrapped parts of the text, each with its source. */
export function wrappedIn(text: string): { readonly source: string; readonly text: string }[] {
  return [...text.matchAll(WRAPPED)].map(([wrapped, source = '']) => ({ source, text: wrapped.replace(TAGS, '') }));
}

/** An unclosed wrapper extends to the end of the text. */
const WRAPPED = /<untrusted-data source="([^"]*)">[^]*?(?:<\/untrusted-data>|$)/g;
const TAGS = /^<untrusted-data source="[^"]*">\n?|\n?<\/untrusted-data>$/g;

/** A source can be a URL from foreign text. */
function attribute(source: string): string {
  const plain = source.slice(0, 200).replace(/[^\w.:/?#=&+~@%,-]/g, '_');
  return escapeTags(plain.replaceAll('&', '&amp;'));
}
