import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

/** A value of a cell, a formula if it starts with `=`. */
type Cell = string | number;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const NAMESPACE = 'http://schemas.openxmlformats.org';
const MAIN = `${NAMESPACE}/spreadsheetml/2006/main`;
const RELATIONS = `${NAMESPACE}/officeDocument/2006/relationships`;
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const unescape = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** A workbook with one sheet, as a person's program would save it. */
export function workbookOf(rows: readonly (readonly Cell[])[]): Buffer {
  const data = rows.map((row, y) => `<row r="${y + 1}">${row.map((cell, x) => cellXml(cell, x, y)).join('')}</row>`);
  return packageOf('xl/workbook.xml', 'spreadsheetml.sheet.main', {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${data.join('')}</sheetData></worksheet>`,
  });
}

function cellXml(cell: Cell, x: number, y: number): string {
  const at = `r="${String.fromCharCode(65 + x)}${y + 1}"`;
  return typeof cell === 'number'
    ? `<c ${at}><v>${cell}</v></c>`
    : `<c ${at} t="inlineStr"><is><t>${escape(cell)}</t></is></c>`;
}

/** A document with one paragraph for each text. */
export function documentOf(paragraphs: readonly string[]): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`);
  return packageOf('word/document.xml', 'wordprocessingml.document.main', {
    'word/document.xml': `<w:document xmlns:w="${NAMESPACE}/wordprocessingml/2006/main"><w:body>${body.join('')}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:left="1134" w:right="1134"/></w:sectPr></w:body></w:document>`,
  });
}

function packageOf(main: string, kind: string, parts: Record<string, string>): Buffer {
  const types = Object.keys(parts).flatMap((name) => {
    if (name === main) return overrideOf(name, kind);
    return name.includes('worksheets/') ? overrideOf(name, 'spreadsheetml.worksheet') : [];
  });
  const all: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${NAMESPACE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relations('officeDocument', main),
    ...parts,
  };
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(all).map(([name, xml]) => [name, strToU8(XML + xml)]))));
}

const overrideOf = (name: string, kind: string) =>
  `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${kind}+xml"/>`;
const relations = (type: string, target: string) =>
  `<Relationships xmlns="${NAMESPACE}/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;

/** The cells of a workbook's first sheet by their names; a formula as `=…`. */
export function cellsOf(workbook: Buffer): Record<string, Cell> {
  const files = unzipSync(new Uint8Array(workbook));
  const part = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const shared = [...part('xl/sharedStrings.xml').matchAll(/<si>(.*?)<\/si>/gs)].map(([, xml = '']) => textOf(xml));
  const cells = part('xl/worksheets/sheet1.xml').matchAll(/<c r="([A-Z]+\d+)"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs);
  return Object.fromEntries(
    [...cells].flatMap(([, at = '', attributes = '', xml = '']) => {
      const value = valueOf(attributes, xml, shared);
      return value === undefined ? [] : [[at, value]];
    }),
  );
}

function valueOf(attributes: string, xml: string, shared: readonly string[]): Cell | undefined {
  const formula = /<f[^>]*>(.*?)<\/f>/s.exec(xml)?.[1];
  if (formula !== undefined) return `=${unescape(formula)}`;
  if (attributes.includes('t="inlineStr"')) return textOf(xml);
  const value = /<v>(.*?)<\/v>/s.exec(xml)?.[1];
  if (value === undefined) return undefined;
  return attributes.includes('t="s"') ? shared[Number(value)] : Number(value);
}

/** The rows of a workbook's first sheet. */
export function rowsOf(workbook: Buffer): Cell[][] {
  const rows: Cell[][] = [];
  for (const [at, value] of Object.entries(cellsOf(workbook))) {
    const [, column = '', row = ''] = /^([A-Z]+)(\d+)$/.exec(at) ?? [];
    const found = (rows[Number(row) - 1] ??= []);
    found[column.charCodeAt(0) - 65] = value;
  }
  return rows;
}

/** The paragraphs of a document, with those in tables. */
export function paragraphsOf(document: Buffer): string[] {
  const xml = strFromU8(unzipSync(new Uint8Array(document))['word/document.xml'] ?? new Uint8Array());
  return [...xml.matchAll(/<w:p[ >].*?<\/w:p>/gs)].map(([paragraph]) => textOf(paragraph)).filter(Boolean);
}

const textOf = (xml: string) =>
  unescape([...xml.matchAll(/<(?:w:)?t(?: [^>]*)?>(.*?)<\/(?:w:)?t>/gs)].map(([, text]) => text).join(''));
