import { attributeOf, type OfficeFile, openOfficeFile, readReferences, readXml } from './office-file.ts';
import { createRows, type Pages, Unreadable } from './pages.ts';

/** Excel: the values of the cells, as stored, by sheets and rows. Nothing is calculated, and empty cells take no memory. */
export function readXlsx(bytes: Uint8Array, pages: Pages): void {
  const wanted =
    /^xl\/(?:workbook|sharedStrings|styles)\.xml$|^xl\/_rels\/workbook\.xml\.rels$|^xl\/worksheets\/[^/]+\.xml$/;
  const file = openOfficeFile(bytes, (name) => wanted.test(name));
  const { sheets, is1904 } = readWorkbook(file);
  const values = {
    shared: readStrings(file.part('xl/sharedStrings.xml') ?? ''),
    dates: readDateStyles(file.part('xl/styles.xml') ?? ''),
    epoch: is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30),
  };
  for (const { name, target } of sheets) readSheet(file.part(target) ?? '', name, values, pages);
}

type Values = { readonly shared: readonly string[]; readonly dates: ReadonlySet<number>; readonly epoch: number };

function readWorkbook(file: OfficeFile) {
  const main = file.part('xl/workbook.xml');
  if (main === undefined) throw new Unreadable('It is not an Excel workbook.');
  const references = readReferences(file, 'xl/workbook.xml');
  const sheets: { name: string; target: string }[] = [];
  let is1904 = false;
  readXml(main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      const target = name === 'sheet' ? references.get(attributes['r:id'] ?? '')?.target : undefined;
      if (target !== undefined) sheets.push({ name: attributes['name'] ?? '', target });
    },
  });
  return { sheets, is1904 };
}

/** Texts that several cells can have. Hints for the pronunciation are left out. */
function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let hints = 0;
  readXml(xml, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') hints++;
      else if (name === 't') inText = hints === 0;
    },
    text: (given) => void (inText && (text += given)),
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') hints--;
      else if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

/** Which styles of cells show a number as a date or a time. */
function readDateStyles(xml: string): Set<number> {
  const formats = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);
  const styles = new Set<number>();
  let inCells = false;
  let count = 0;
  readXml(xml, {
    open(name, attributes) {
      const id = Number(attributes['numFmtId']);
      const code = (attributes['formatCode'] ?? '').replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '');
      if (name === 'numFmt' && /[dmyhs]/i.test(code)) formats.add(id);
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells && formats.has(id)) styles.add(count++);
      else if (name === 'xf' && inCells) count++;
    },
    close: (name) => void (name === 'cellXfs' && (inCells = false)),
  });
  return styles;
}

/** Longer gaps between two cells of a row are shortened. */
const LONGEST_GAP = 20;
const LONGEST_ROW = 1_000_000;

function readSheet(xml: string, title: string, values: Values, pages: Pages): void {
  const rows = createRows(pages, title);
  let number = 0;
  let line = '';
  let column = 0;
  let cell = { column: 0, type: '', style: 0 };
  let value = '';
  let inValue = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'row') [number, line, column] = [Number(attributes['r']) || number + 1, '', 0];
      else if (name === 'c') {
        const at = columnOf(attributes['r'] ?? '') || column + 1;
        cell = { column: at, type: attributeOf(attributes, 't') ?? 'n', style: Number(attributes['s'] ?? 0) };
        value = '';
      } else if (name === 'v' || name === 't') inValue = true;
    },
    text: (text) => void (inValue && (value += text)),
    close(name) {
      if (name === 'v' || name === 't') inValue = false;
      else if (name === 'row') rows.row(number, line);
      else if (name === 'c' && value !== '') {
        const gap = column === 0 ? cell.column - 1 : cell.column - column;
        line += '\t'.repeat(Math.max(0, Math.min(gap, LONGEST_GAP))) + valueOf(value, cell, values);
        column = cell.column;
        if (line.length > LONGEST_ROW) throw new Unreadable('A row has more than a million characters.');
      }
    },
  });
  rows.flush();
}

const columnOf = (place: string): number =>
  Array.from(/^[A-Z]{1,3}/.exec(place)?.[0] ?? '').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);

function valueOf(value: string, { type, style }: { type: string; style: number }, values: Values): string {
  if (type === 's') return (values.shared[Number(value)] ?? '').replaceAll('\n', ' ');
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return value.replaceAll('\n', ' ');
  return values.dates.has(style) ? dateOf(Number(value), values.epoch) : value;
}

/** A date without a time is written without one. */
function dateOf(days: number, epoch: number): string {
  const date = new Date(epoch + Math.round(days * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  const text = date.toISOString();
  if (days < 1) return text.slice(11, 19);
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
