import type { Documents } from '#documents/documents.ts';
import type { Owner } from '#store/connection.ts';
import type { StoredDocument } from '#store/documents/documents.ts';

/** How long a tool waits for a document that is being read. */
export const PATIENCE_MS = 20_000;

/** Of one answer; a document below is read whole. */
const MOST_BYTES = 120_000;

/** The text of a document's pages, as many as one answer holds, with a line that says which come next. */
export async function readDocument(
  documents: Pick<Documents, 'readPages'>,
  owner: Owner,
  { path, document }: { readonly path: string; readonly document: StoredDocument },
  pages?: string,
): Promise<string> {
  if (document.state !== 'ready') return `${path}: ${describeDocument(document)}`;
  const [first = 1, last = pages === undefined ? document.pages : first] = pages?.split('-').map(Number) ?? [];
  if (first < 1 || first > document.pages || last < first) return `${path} has the pages 1 to ${document.pages}.`;
  const read = await documents.readPages(owner, document, { from: first, to: Math.min(last, document.pages) });
  const shown: string[] = [];
  let left = MOST_BYTES;
  let next: number | undefined;
  for (const { page, label, text } of read) {
    left -= Buffer.byteLength(text);
    if (left < 0 && shown.length > 0) {
      next = page;
      break;
    }
    shown.push(`## ${path}, p. ${page}${label === `page ${page}` ? '' : ` (${label})`}\n${text}`);
  }
  const notes = [
    ...(next === undefined ? [] : [`Continue with the pages ${next}-${Math.min(last, document.pages)}.`]),
    ...(shown.length === 0 ? ['There is no text on these pages.'] : []),
    `${path}: ${describeDocument(document)}`,
  ];
  return [...shown, ...notes].join('\n\n');
}

export function describeDocument({ state, reason, pages, emptyPages }: StoredDocument): string {
  if (state === 'waiting') return 'its text is still being read. Try again in a moment.';
  if (state === 'failed') return `its text can't be read. ${reason ?? ''}`.trim();
  const scans = emptyPages === 0 ? '' : `, ${emptyPages} of them without text, such as scans, which can't be read here`;
  return `${pages} ${pages === 1 ? 'page' : 'pages'}${scans}.`;
}
