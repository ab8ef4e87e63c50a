import { cutBytes } from '#domain/text/cut.ts';
import { htmlToText, type ReadablePage } from './html-to-text.ts';

export type FetchedPage = {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly address: string;
  /** The most bytes of text to return. */
  readonly maxBytes: number;
};

/** The text of a fetched page. It runs in a worker thread, because a hostile page can take very long to parse. */
export function readPage({ body, contentType, address, maxBytes }: FetchedPage): ReadablePage {
  const decoded = decodeBody(body, contentType);
  const isHtml = /html/.test(contentType.split(';', 1)[0] ?? '');
  const { title, text } = isHtml ? htmlToText(decoded, new URL(address)) : { title: '', text: decoded };
  const { kept, note } = cutBytes(text, maxBytes);
  return { title: title.slice(0, MAX_TITLE), text: kept + note };
}

const MAX_TITLE = 500;

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
