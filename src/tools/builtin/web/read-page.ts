import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { cutBytes } from '#domain/text/cut.ts';
import { type NumberedText, withoutMarks } from '#domain/text/numbered-links.ts';
import { htmlToText, parseHtml } from './html-to-text.ts';
import { mainLines, numberLinks } from './main-text.ts';

export type PackedBody = {
  readonly body: Uint8Array;
  /** The header `content-encoding`; empty if there is none. */
  readonly encoding: string;
  /** The most bytes that a packed body may unpack to. */
  readonly maxBytes: number;
};

export type FetchedPage = PackedBody & {
  readonly contentType: string;
  readonly address: string;
  readonly part: 'main' | 'all';
};

export type ReadPage = NumberedText & {
  readonly title: string;
  readonly published: string | null;
  /** It has hardly any text, and scripts that would write some. */
  readonly needsScripts: boolean;
};

/** The text of a fetched page. It runs in a worker thread, because a hostile page can take very long to parse. */
export function readPage(fetched: FetchedPage): ReadPage | { readonly error: string } {
  const { contentType, address, part } = fetched;
  const body = unpack(fetched);
  if (!body) return { error: BADLY_PACKED };
  const decoded = decodeBody(body, contentType);
  if (!/html/.test(contentType.split(';', 1)[0] ?? '')) return { ...PLAIN, ...limit(withoutMarks(decoded), []) };
  const { title, published = null, hasScripts, lines } = parseHtml(decoded, new URL(address));
  const { text, links } = numberLinks(part === 'all' ? lines : mainLines(lines));
  const needsScripts = hasScripts && lines.reduce((sum, { length }) => sum + length, 0) < LEAST_TEXT;
  return { title: title.slice(0, MAX_TITLE), published, needsScripts, ...limit(text, links) };
}

export const BADLY_PACKED = 'It is packed in a way that can’t be read, or it is too large when it is unpacked.';

const PLAIN = { title: '', published: null, needsScripts: false };
const MAX_TITLE = 500;
/** A page with fewer characters of text and with scripts is written by them. */
const LEAST_TEXT = 200;
/** What is kept of a text and of its links. */
const MAX_TEXT_BYTES = 400_000;
const MAX_LINKS = 2_000;

function limit(text: string, links: readonly string[]): NumberedText {
  const { kept, note } = cutBytes(text, MAX_TEXT_BYTES);
  return { text: kept + note, links: links.slice(0, MAX_LINKS) };
}

/** Sites are asked for plain bodies, and some pack them anyway. Undefined if it can't be unpacked within the limit. */
export function unpack({ body, encoding, maxBytes }: PackedBody): Uint8Array | undefined {
  if (encoding === '' || encoding === 'identity') return body;
  const decode = DECODERS.get(encoding);
  try {
    return decode?.(body, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The text that readers of a mail see. It runs in a worker thread, too. */
export const readMailHtml = (html: string): string =>
  htmlToText(html, new URL('https://mail.invalid'), { background: 'white' }).text;

/** Decodes by the byte order mark, the header's charset, or the page's own. UTF-8 if none of them is known. */
export function decodeBody(body: Uint8Array, contentType: string): string {
  const label =
    bomOf(body) ?? charsetIn(contentType) ?? charsetIn(Buffer.from(body.subarray(0, 1024)).toString('latin1'));
  return decoderFor(label ?? 'utf-8').decode(body);
}

function bomOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetIn(text: string): string | undefined {
  return /(?:charset|encoding)\s{0,5}=\s{0,5}["']?([\w:.-]{2,40})/i.exec(text)?.[1];
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
