import type { DocumentKind } from '#domain/workspace/document.ts';
import { createPages, type Pages, Unreadable } from './pages.ts';

/** `draw`: pages of a PDF whose pictures are wanted, instead of the text. */
export type ReaderRequest = { readonly kind: DocumentKind; readonly draw?: readonly number[] };

/** The pages of a document, or why it can't be read. It runs in its own process, see `../extractor.ts`. */
export async function extract({ kind, draw }: ReaderRequest, bytes: Uint8Array): Promise<object> {
  const pages = createPages();
  try {
    if (draw) return { pictures: await (await import('./page-pictures.ts')).drawPages(bytes, draw) };
    const read = await READERS[kind]();
    await read(bytes, pages);
    return { pages: pages.all() };
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message };
    return { reason: `It could not be read: ${String(error).slice(0, 200)}` };
  }
}

/** Loads everything that `extract` can need, so that its caller learns which files these are. */
export const loadAll = (): Promise<unknown> =>
  Promise.all([import('./page-pictures.ts'), ...Object.values(READERS).map((load) => load())]);

type Read = (bytes: Uint8Array, pages: Pages) => void | Promise<void>;
type PlainText = typeof import('./plain-text.ts');

const plain = (read: (text: string, pages: Pages, from: PlainText) => void) => async (): Promise<Read> => {
  const from = await import('./plain-text.ts');
  return (bytes, pages) => read(from.decode(bytes), pages, from);
};

const READERS: Readonly<Record<DocumentKind, () => Promise<Read>>> = {
  pdf: async () => (await import('./pdf-text.ts')).readPdf,
  docx: async () => (await import('./word-text.ts')).readDocx,
  odt: async () => (await import('./word-text.ts')).readOdt,
  xlsx: async () => (await import('./sheets-text.ts')).readXlsx,
  pptx: async () => (await import('./slides-text.ts')).readPptx,
  html: async () => {
    const { readHtml } = await import('./html-text.ts');
    return plain((text, pages) => readHtml(text, pages))();
  },
  markdown: plain((text, pages, from) => from.readMarkdown(text, pages)),
  text: plain((text, pages, from) => from.readText(text, pages)),
  json: plain((text, pages, from) => from.readText(text, pages)),
  csv: plain((text, pages, from) => from.readCsv(text, pages)),
  eml: async () => (await import('./plain-text.ts')).readMail,
};
