import type { Documents } from '#documents/documents.ts';
import { firstPages } from '#documents/first-pages.ts';
import type { StoredDocument } from '#store/documents/documents.ts';
import type { ToolContext } from '../../tool.ts';
import { createTurnstile } from '../../turnstile.ts';

type Listed = { readonly path: string; readonly document: StoredDocument };

/** How many pages without text one answer shows. Each picture stays in the prompts of its thread. */
const MOST_PICTURES = 4;
/** Each is drawn by a process of up to 512 MiB. */
const drawInTurn = createTurnstile(2);

/**
 * A document's pages, as many as one answer holds, with a line that says which come next. Pages of a PDF without text are shown to the
 * model as pictures.
 */
export async function readDocument(
  documents: Pick<Documents, 'readPages' | 'drawPages'>,
  context: ToolContext,
  { path, document }: Listed,
  pages?: string,
): Promise<string> {
  if (document.state !== 'ready') return `${path}: ${describeDocument(document)}`;
  const [first = 1, last = pages === undefined ? document.pages : first] = pages?.split('-').map(Number) ?? [];
  if (first < 1 || first > document.pages || last < first) return `${path} has the pages 1 to ${document.pages}.`;
  const end = Math.min(last, document.pages);
  const read = await documents.readPages(context.owner, document, { from: first, to: end });
  const { shown, next: after = end + 1 } = firstPages(read);
  const bare = document.kind === 'pdf' ? pagesBetween(first, after).filter((page) => !has(read, page)) : [];
  const next = bare[MOST_PICTURES] ?? after;
  const pictures = await showPictures(documents, context, { path, document }, bare.slice(0, MOST_PICTURES));
  const texts = shown
    .filter(({ page }) => page < next)
    .map(({ page, label, text }) => ({ page, text: `## ${path}, ${placeOf(page, label)}\n${text}` }));
  const sections = [...texts, ...pictures].toSorted((one, other) => one.page - other.page).map(({ text }) => text);
  const notes = [
    ...(next > end ? [] : [`Continue with the pages ${next}-${end}.`]),
    ...(sections.length === 0 ? ['There is no text on these pages.'] : []),
    `${path}: ${describeDocument(document)}`,
  ];
  return [...sections, ...notes].join('\n\n');
}

const pagesBetween = (first: number, after: number): number[] =>
  Array.from({ length: after - first }, (_, index) => first + index);

const has = (pages: readonly { readonly page: number }[], wanted: number): boolean =>
  pages.some(({ page }) => page === wanted);

/** Adds what these pages show to the output, and says so in the place of their text. */
async function showPictures(
  documents: Pick<Documents, 'drawPages'>,
  { owner, signal, onFile }: ToolContext,
  { path, document }: Listed,
  pages: readonly number[],
): Promise<{ page: number; text: string }[]> {
  if (pages.length === 0) return [];
  const drawn = await drawInTurn(() => documents.drawPages(owner, document, pages, signal));
  const pictures = 'pictures' in drawn ? drawn.pictures : [];
  for (const { page, png } of pictures)
    onFile?.({ type: 'image', filename: `${path}, p. ${page}`, mediaType: 'image/png', base64: png, forModel: true });
  const reason = 'reason' in drawn ? drawn.reason : 'It has no picture in a form that can be decoded.';
  return pages.map((page) => {
    const isShown = pictures.some((picture) => picture.page === page);
    const what = isShown
      ? 'No text. The picture of this page is attached.'
      : `No text, and it can’t be shown. ${reason}`;
    return { page, text: `## ${path}, p. ${page}\n${what}` };
  });
}

/** Where a passage is, as a citation says it. */
export const placeOf = (page: number, label: string): string =>
  label === `page ${page}` ? `p. ${page}` : `p. ${page} (${label})`;

export function describeDocument({ kind, state, reason, pages, emptyPages }: StoredDocument): string {
  if (state === 'waiting') return 'its text is still being read. Try again in a moment.';
  if (state === 'failed') return `its text can't be read. ${reason ?? ''}`.trim();
  const where = kind === 'pdf' ? '. reborn_document_read shows them as pictures' : '';
  const scans = emptyPages === 0 ? '' : `, ${emptyPages} of them without text, such as scans${where}`;
  return `${pages} ${pages === 1 ? 'page' : 'pages'}${scans}.`;
}
