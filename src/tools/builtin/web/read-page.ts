import { decodeBody } from './decode-body.ts';
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
