import { getDocument } from 'unpdf/pdfjs';
import { MOST_PAGES, type Pages, Unreadable } from './pages.ts';

/** The text of each page; of a scan there is none, because nothing recognises letters in pictures. */
export async function readPdf(data: Uint8Array, pages: Pages): Promise<void> {
  const pdf = await openPdf(data);
  if (pdf.numPages > MOST_PAGES) throw new Unreadable(`It has more than ${MOST_PAGES} pages.`);
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    pages.begin(`page ${number}`);
    pages.add(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
    page.cleanup();
  }
}

/** No fonts or scripts are loaded: they are not needed for the text and for pictures. */
export async function openPdf(data: Uint8Array, more: { readonly maxImageSize?: number } = {}) {
  const options = { ...more, data, isEvalSupported: false, useSystemFonts: true, disableFontFace: true, verbosity: 0 };
  try {
    return await getDocument(options).promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new Unreadable('It is protected with a password.');
    throw new Unreadable('It is not a complete PDF.');
  }
}
