import type { Documents } from '#documents/documents.ts';
import { firstPages } from '#documents/first-pages.ts';
import type { Owner } from '#store/connection.ts';
import type { StoredDocument } from '#store/documents/documents.ts';

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
  const { shown, next } = firstPages(read);
  const notes = [
    ...(next === undefined ? [] : [`Continue with the pages ${next}-${Math.min(last, document.pages)}.`]),
    ...(shown.length === 0 ? ['There is no text on these pages.'] : []),
    `${path}: ${describeDocument(document)}`,
  ];
  const texts = shown.map(({ page, label, text }) => `## ${path}, ${placeOf(page, label)}\n${text}`);
  return [...texts, ...notes].join('\n\n');
}

/** Where a passage is, as a citation says it. */
export const placeOf = (page: number, label: string): string =>
  label === `page ${page}` ? `p. ${page}` : `p. ${page} (${label})`;

export function describeDocument({ state, reason, pages, emptyPages }: StoredDocument): string {
  if (state === 'waiting') return 'its text is still being read. Try again in a moment.';
  if (state === 'failed') return `its text can't be read. ${reason ?? ''}`.trim();
  const scans = emptyPages === 0 ? '' : `, ${emptyPages} of them without text, such as scans, which can't be read here`;
  return `${pages} ${pages === 1 ? 'page' : 'pages'}${scans}.`;
}
