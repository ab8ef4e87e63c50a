import { htmlToText, type ReadablePage } from './html-to-text.ts';

export type FetchedPage = {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly address: string;
  /** How much of the text is wanted. */
  readonly maxBytes: number;
};

/** What came from an address as text. It runs in a worker thread: nobody knows how long a stranger's page takes. */
export function readPage({ body, contentType, address, maxBytes }: FetchedPage): ReadablePage {
  const decoded = decodeBody(body, contentType);
  const isHtml = /html/.test(contentType.split(';', 1)[0] ?? '');
  const { title, text } = isHtml ? htmlToText(decoded, new URL(address)) : { title: '', text: decoded };
  return { title: title.slice(0, MAX_TITLE), text: cut(text, maxBytes) };
}

const MAX_TITLE = 500;

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = new TextDecoder('utf-8').decode(bytes.subarray(0, maxBytes), { stream: true }); // no half letter at the end
  return `${kept}\n[Cut here: ${bytes.length - Buffer.byteLength(kept)} of ${bytes.length} bytes are left out.]`;
}

/** Bytes as text, by what the header says, or the first bytes, or the page itself. UTF-8 when nobody says anything we know. */
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
