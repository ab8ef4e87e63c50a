import { strToU8, zipSync } from 'fflate';

/** Files of all kinds of documents, made without the programs that usually write them. Words must be without markup. */

/** A PDF with one font; each page has these lines. */
export function makePdf(pages: readonly (readonly string[])[]): Buffer {
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  const kids: string[] = [];
  for (const lines of pages) {
    const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`).join('\n');
    const content = `BT /F1 10 Tf 50 800 Td 14 TL\n${shown}\nET`;
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`;
  return assemblePdf(objects);
}

/** A page without text: pictures of a byte for each point, from black to white, as `content` paints them. */
export type ScannedPage = {
  readonly pictures: readonly { readonly width: number; readonly points: Uint8Array; readonly entries?: string }[];
  readonly content?: string;
  readonly turned?: number;
};

const WHOLE_PAGE = 'q 600 0 0 800 0 0 cm /P0 Do Q';

export function makeScan(pages: readonly ScannedPage[]): Buffer {
  const objects: string[] = ['<< /Type /Catalog /Pages 2 0 R >>', ''];
  const add = (dictionary: string, stream?: string): string => {
    const body = `<< ${dictionary} ${stream === undefined ? '' : `/Length ${stream.length} `}>>`;
    return `${objects.push(stream === undefined ? body : `${body}\nstream\n${stream}\nendstream`)} 0 R`;
  };
  const kids = pages.map(({ pictures, content = WHOLE_PAGE, turned = 0 }) => {
    const names = pictures.map(({ width, points, entries = GREY }, index) => {
      const size = `/Width ${width} /Height ${points.length / width}`;
      return `/P${index} ${add(`/Type /XObject /Subtype /Image ${size} ${entries}`, Buffer.from(points).toString('latin1'))}`;
    });
    const resources = `/Resources << /XObject << ${names.join(' ')} >> >>`;
    const contents = `/Contents ${add('', content)}`;
    return add(`/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate ${turned} ${contents} ${resources}`);
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`;
  return assemblePdf(objects);
}

const GREY = '/ColorSpace /DeviceGray /BitsPerComponent 8';

export function assemblePdf(objects: readonly string[]): Buffer {
  const pieces = ['%PDF-1.4\n'];
  const offsets: number[] = [];
  let length = pieces[0]?.length ?? 0;
  objects.forEach((object, index) => {
    const piece = `${index + 1} 0 obj\n${object}\nendobj\n`;
    offsets.push(length);
    length += piece.length;
    pieces.push(piece);
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  pieces.push(`trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`);
  return Buffer.from(pieces.join(''), 'latin1');
}

export const makeZip = (parts: Readonly<Record<string, string | Uint8Array>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
      ),
    ),
  );

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A heading, a paragraph, or the rows of a table. */
export type Piece = { heading: string; level?: number } | { text: string } | { rows: readonly (readonly string[])[] };

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const paragraphOfWord = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;

export function makeDocx(pieces: readonly Piece[], more = ''): Buffer {
  const body = pieces.map((piece) => {
    if ('heading' in piece) return paragraphOfWord(piece.heading, `berschrift${piece.level ?? 1}`);
    if ('text' in piece) return paragraphOfWord(piece.text);
    const rows = piece.rows.map(
      (cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraphOfWord(cell)}</w:tc>`).join('')}</w:tr>`,
    );
    return `<w:tbl>${rows.join('')}</w:tbl>`;
  });
  const styles = [1, 2, 3].map(
    (level) => `<w:style w:styleId="berschrift${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  return makeZip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document ${W}><w:body>${body.join('')}${more}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${W}>${styles.join('')}</w:styles>`,
  });
}

export function makeOdt(pieces: readonly Piece[]): Buffer {
  const body = pieces.map((piece) => {
    if ('heading' in piece)
      return `<text:h text:outline-level="${piece.level ?? 1}">${escaped(piece.heading)}</text:h>`;
    if ('text' in piece) return `<text:p>${escaped(piece.text)}</text:p>`;
    const rows = piece.rows.map(
      (cells) =>
        `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${escaped(cell)}</text:p></table:table-cell>`).join('')}</table:table-row>`,
    );
    return `<table:table>${rows.join('')}</table:table>`;
  });
  return makeZip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content><office:body><office:text>${body.join('')}</office:text></office:body></office:document-content>`,
  });
}

const relations = (targets: Readonly<Record<string, { type: string; target: string; mode?: string }>>) =>
  `<Relationships>${Object.entries(targets)
    .map(
      ([id, { type, target, mode }]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`;

export type Slide = { title: string; lines: readonly string[]; notes?: string };

export function makePptx(slides: readonly Slide[]): Buffer {
  const shape = (lines: readonly string[], type: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${escaped(line)}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
  const parts: Record<string, string> = {
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${index}" r:id="rId${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    // The order of the slides is not that of their files.
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(
        slides.map((_, index) => [
          `rId${index}`,
          { type: 'slide', target: `slides/slide${slides.length - index}.xml` },
        ]),
      ),
    ),
  };
  slides.forEach(({ title, lines, notes }, index) => {
    const name = `slide${slides.length - index}.xml`;
    parts[`ppt/slides/${name}`] =
      `<p:sld>${shape([title], 'title')}${shape(lines, 'body')}${shape(['7'], 'sldNum')}</p:sld>`;
    if (notes === undefined) return;
    parts[`ppt/slides/_rels/${name}.rels`] = relations({
      rId1: { type: 'notesSlide', target: `../notesSlides/${name}` },
    });
    parts[`ppt/notesSlides/${name}`] = `<p:notes>${shape([notes], 'body')}</p:notes>`;
  });
  return makeZip(parts);
}

/** Cells are texts or numbers; a date is a number with the style of dates. */
export type Cell = string | number | { date: number };

export function makeXlsx(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Buffer {
  const strings: string[] = [];
  const cellOf = (cell: Cell, place: string) => {
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
    if (typeof cell === 'object') return `<c r="${place}" s="1"><v>${cell.date}</v></c>`;
    if (cell === '') return '';
    return `<c r="${place}" t="s"><v>${strings.push(cell) - 1}</v></c>`;
  };
  const names = Object.keys(sheets);
  const parts: Record<string, string> = {
    'xl/workbook.xml': `<workbook><sheets>${names.map((name, index) => `<sheet name="${escaped(name)}" r:id="rId${index}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      Object.fromEntries(
        names.map((_, index) => [`rId${index}`, { type: 'worksheet', target: `worksheets/sheet${index}.xml` }]),
      ),
    ),
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  };
  names.forEach((name, index) => {
    const rows = (sheets[name] ?? []).map(
      (cells, row) =>
        `<row r="${row + 1}">${cells.map((cell, column) => cellOf(cell, `${String.fromCharCode(65 + column)}${row + 1}`)).join('')}</row>`,
    );
    parts[`xl/worksheets/sheet${index}.xml`] = `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`;
  });
  parts['xl/sharedStrings.xml'] = `<sst>${strings.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`;
  return makeZip(parts);
}
