import { cutBytes } from '#domain/text/cut.ts';
import type { StoredPage } from '#store/documents/documents.ts';

/** About 30,000 tokens. */
const MOST_BYTES = 120_000;

/** As many pages as one answer or message holds, and the number of the one that comes next. A page that is longer is cut. */
export function firstPages(pages: readonly StoredPage[]): {
  readonly shown: readonly StoredPage[];
  readonly next: number | undefined;
} {
  const shown: StoredPage[] = [];
  let left = MOST_BYTES;
  for (const page of pages) {
    left -= Buffer.byteLength(page.text);
    if (left < 0 && shown.length > 0) return { shown, next: page.page };
    const { kept, note } = cutBytes(page.text, MOST_BYTES);
    shown.push({ ...page, text: kept + note });
  }
  return { shown, next: undefined };
}
