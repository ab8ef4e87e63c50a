import type { Extract } from '#documents/extractor.ts';
import { cutBytes } from '#domain/text/cut.ts';
import { pageMark, withoutMarks } from '#domain/text/numbered-links.ts';
import type { Page } from '#domain/workspace/document.ts';
import { createTurnstile } from '../../turnstile.ts';
import type { ReadPage } from './read-page.ts';

export type ReadPdf = (
  bytes: Uint8Array,
  url: URL,
  signal: AbortSignal,
) => Promise<ReadPage | { readonly error: string }>;

const MOST_PAGES = 300;
/** What is kept of the text. Longer texts could not be searched for secrets. */
const MOST_TEXT_BYTES = 1_500_000;
/** Each is a process of up to 512 MiB. */
const AT_ONCE = 2;

/** Reads PDFs by page, so that a citation can name the page. The files are read in processes without rights. */
export function createPdfReader(extract: Extract): ReadPdf {
  const inTurn = createTurnstile(AT_ONCE);
  return async (bytes, url, signal) => {
    const extracted = await inTurn(() => extract('pdf', bytes, signal));
    if ('reason' in extracted) return { error: `The PDF can't be read. ${extracted.reason}` };
    const { pages } = extracted;
    if (pages.length > MOST_PAGES)
      return { error: `The PDF has ${pages.length} pages, and at most ${MOST_PAGES} are read. ${TOO_LONG}` };
    if (pages.every(({ blocks }) => blocks.length === 0))
      return { error: 'The PDF has no text, for example because it is a scan.' };
    const { kept, note } = cutBytes(textOf(pages), MOST_TEXT_BYTES);
    return { text: kept + note, links: [], title: fileName(url), published: null, needsScripts: false };
  };
}

const TOO_LONG = 'Ask the user to attach the file: more pages of attached files are read.';

const textOf = (pages: readonly Page[]): string =>
  pages
    .map(({ blocks }, index) => {
      const text = blocks.map((block) => block.text).join('\n\n');
      return `${pageMark(index + 1)}\n${withoutMarks(text) || '(no text)'}`;
    })
    .join('\n\n');

/** The title inside a PDF is often that of a template, so the name of the file is the better one. */
function fileName({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
