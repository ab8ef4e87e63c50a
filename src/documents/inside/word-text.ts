import { type Attributes, attributeOf, openOfficeFile, readXml } from './office-file.ts';
import { createSections, type Pages, Unreadable } from './pages.ts';

/** Word: paragraphs, tables, notes at the end. Deleted and hidden text is left out. */
export function readDocx(bytes: Uint8Array, pages: Pages): void {
  const file = openOfficeFile(bytes, (name) => /^word\/(?:document|styles|footnotes|endnotes)\.xml$/.test(name));
  const main = file.part('word/document.xml');
  if (main === undefined) throw new Unreadable('It is not a Word document.');
  const levels = readHeadingLevels(file.part('word/styles.xml') ?? '');
  const sections = createSections(pages);
  readParagraphs(main, levels, sections);
  for (const part of ['word/footnotes.xml', 'word/endnotes.xml']) {
    const notes = file.part(part);
    if (notes !== undefined) readParagraphs(notes, levels, sections);
  }
}

type Sections = ReturnType<typeof createSections>;
type Levels = ReadonlyMap<string, number>;

/** Styles are named in the language of the author, and only some of them have a level. */
function readHeadingLevels(xml: string): Levels {
  const levels = new Map<string, number>();
  let id = '';
  const set = (level: number) => void (level >= 1 && level <= 9 && levels.set(id, level));
  readXml(xml, {
    open(name, attributes) {
      const value = attributeOf(attributes, 'val') ?? '';
      if (name === 'style') id = attributeOf(attributes, 'styleId') ?? '';
      else if (name === 'name' && /^title$/i.test(value)) set(1);
      else if (name === 'name') set(Number(/^heading (\d)$/i.exec(value)?.[1] ?? 0));
      else if (name === 'outlineLvl') set(Number(value) + 1);
    },
  });
  return levels;
}

const SKIPPED_IN_DOCX = new Set(['del', 'moveFrom', 'Fallback']);
const BREAKS: Readonly<Record<string, string>> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };

function readParagraphs(xml: string, levels: Levels, sections: Sections): void {
  const table = createTable(sections);
  let skipped = 0;
  let paragraph = '';
  let run = '';
  let level = 0;
  let inText = false;
  let isHidden = false;
  let isItem = false;
  readXml(xml, {
    open(name, attributes) {
      if (skipped > 0 || SKIPPED_IN_DOCX.has(name)) return void skipped++;
      if (name === 'p') [paragraph, level, isItem] = ['', 0, false];
      else if (name === 'r') [run, isHidden] = ['', false];
      else if (name === 't') inText = true;
      else if (name === 'vanish') isHidden = isOn(attributes);
      else if (name === 'numPr') isItem = true;
      else if (name === 'pStyle') level = levels.get(attributeOf(attributes, 'val') ?? '') ?? 0;
      else if (name === 'outlineLvl') level = Number(attributeOf(attributes, 'val')) + 1;
      else if (BREAKS[name]) run += BREAKS[name];
      else table.open(name);
    },
    text(text) {
      if (inText && skipped === 0) run += text;
    },
    close(name) {
      if (skipped > 0) return void skipped--;
      if (name === 't') inText = false;
      else if (name === 'r') [paragraph, run] = [paragraph + (isHidden ? '' : run), ''];
      else if (name === 'p') {
        table.paragraph(isItem && level === 0 ? `- ${paragraph}` : paragraph, level);
        [paragraph, level, isItem] = ['', 0, false];
      } else table.close(name);
    },
  });
}

const isOn = (attributes: Attributes): boolean => !/^(?:0|false|off)$/.test(attributeOf(attributes, 'val') ?? '');

/** Paragraphs inside a table are cells of its rows; those of a table in a cell are part of that cell. */
function createTable(sections: Sections, names = { table: 'tbl', row: 'tr', cell: 'tc' }) {
  let depth = 0;
  let rows: string[] = [];
  let cells: string[] = [];
  let cell: string[] = [];
  return {
    open(name: string): void {
      if (name === names.table && depth++ === 0) rows = [];
      else if (name === names.row && depth === 1) cells = [];
      else if (name === names.cell && depth === 1) cell = [];
    },
    paragraph(text: string, level: number): void {
      if (depth > 0) cell.push(text);
      else if (level > 0) sections.heading(level, text);
      else sections.paragraph(text);
    },
    close(name: string): void {
      if (name === names.cell && depth === 1) cells.push(cell.filter((text) => text.trim() !== '').join(' '));
      else if (name === names.row && depth === 1) rows.push(cells.join(' | '));
      else if (name === names.table && depth > 0 && --depth === 0) sections.paragraph(rows.join('\n'));
    },
  };
}

const SKIPPED_IN_ODT = new Set(['annotation', 'tracked-changes', 'note-citation', 'desc', 'title']);
const MOST_SPACES = 100;

/** OpenDocument text, as LibreOffice writes it. */
export function readOdt(bytes: Uint8Array, pages: Pages): void {
  const xml = openOfficeFile(bytes, (name) => name === 'content.xml').part('content.xml');
  if (xml === undefined) throw new Unreadable('It is not an OpenDocument text.');
  const sections = createSections(pages);
  const table = createTable(sections, { table: 'table', row: 'table-row', cell: 'table-cell' });
  const open: { text: string; level: number; isItem: boolean }[] = []; // a note has paragraphs inside a paragraph
  let skipped = 0;
  let items = 0;
  const write = (text: string) => {
    const top = open.at(-1);
    if (top) top.text += text;
  };
  readXml(xml, {
    open(name, attributes) {
      if (skipped > 0 || SKIPPED_IN_ODT.has(name)) return void skipped++;
      const level = name === 'h' ? Number(attributeOf(attributes, 'outline-level') ?? 1) : 0;
      if (name === 'h' || name === 'p')
        open.push({ text: '', level: Math.min(level, 9), isItem: items > 0 && level === 0 });
      else if (name === 'list-item') items++;
      else if (name === 'tab') write('\t');
      else if (name === 'line-break') write('\n');
      else if (name === 's') write(' '.repeat(Math.min(MOST_SPACES, Number(attributeOf(attributes, 'c') ?? 1) || 1)));
      else table.open(name);
    },
    text: (text) => void (skipped === 0 && write(text)),
    close(name) {
      if (skipped > 0) return void skipped--;
      if (name === 'list-item') items--;
      if (name !== 'h' && name !== 'p') return table.close(name);
      const ended = open.pop();
      if (!ended) return;
      const above = open.at(-1);
      if (above) above.text += ` [${ended.text}]`;
      else table.paragraph(ended.isItem ? `- ${ended.text}` : ended.text, ended.level);
    },
  });
}
