import type { Block, Page } from '#domain/workspace/document.ts';

/** The document can't be read. The message is a sentence for the person. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

const MOST_TEXT = 20 * 1024 * 1024;
/** Of the pages that an author has made; sections and rows are limited by their text alone. */
export const MOST_PAGES = 2000;
const MOST_HEADING = 300;
/** A section ends at the next heading from here on, or at the next paragraph. */
const SECTION_CHARS = 4000;
const LONGEST_SECTION = 12_000;
const ROWS_OF_A_PAGE = 100;

export type Pages = ReturnType<typeof createPages>;

/** Collects the pages of a document, and refuses more text than a document may have. */
export function createPages() {
  const pages: { label: string; blocks: Block[] }[] = [];
  let chars = 0;

  return {
    begin(label: string): void {
      pages.push({ label: label.slice(0, MOST_HEADING), blocks: [] });
    },
    /** Adds a text to the page that has started. */
    add(given: string, heading = ''): void {
      const text = tidy(given);
      if (text === '') return;
      chars += text.length;
      if (chars > MOST_TEXT) throw new Unreadable('It has more than 20 MiB of text.');
      pages.at(-1)?.blocks.push({ heading: tidy(heading).slice(0, MOST_HEADING), text });
    },
    count: () => pages.length,
    all: (): readonly Page[] => pages,
  };
}

/** Splits a text without pages into sections, which begin at headings. */
export function createSections(pages: Pages) {
  const path: (string | undefined)[] = [];
  let size = LONGEST_SECTION;

  const heading = () => path.filter((title) => title !== undefined).join(' > ');
  const begin = () => {
    pages.begin(heading() || `part ${pages.count() + 1}`);
    size = 0;
  };
  function write(text: string): void {
    if (size >= LONGEST_SECTION) begin();
    pages.add(text, heading());
    size += text.length;
  }
  return {
    heading(level: number, given: string): void {
      const title = given.replaceAll(/\s+/g, ' ').trim();
      if (title === '') return;
      path.length = Math.min(path.length, level - 1);
      path[level - 1] = title.slice(0, MOST_HEADING);
      if (size >= SECTION_CHARS) begin();
      write(title);
    },
    /** A long paragraph is more than one page. */
    paragraph(text: string): void {
      for (let at = 0; at < text.length; at += LONGEST_SECTION) write(text.slice(at, at + LONGEST_SECTION));
    },
  };
}

/** Lines of a table as pages of a hundred rows. `title` is said of each row, and so is the first one, which names the columns. */
export function createRows(pages: Pages, title: string) {
  let rows: string[] = [];
  let first = 0;
  let last = 0;
  let names = '';

  function flush(): void {
    if (rows.length === 0) return;
    pages.begin([title, `rows ${first} to ${last}`].filter(Boolean).join(', '));
    pages.add(rows.join('\n'), [title, names].filter(Boolean).join(': '));
    rows = [];
  }
  return {
    row(number: number, text: string): void {
      if (text.trim() === '') return;
      if (rows.length > 0 && (rows.length >= ROWS_OF_A_PAGE || number >= first + 10 * ROWS_OF_A_PAGE)) flush();
      if (rows.length === 0) first = number;
      names ||= text.replaceAll(/\s+/g, ' ').slice(0, MOST_HEADING);
      last = number;
      rows.push(text);
    },
    flush,
  };
}

/** What PostgreSQL can't store and no one sees is left out. */
const tidy = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are what is removed
    .replaceAll(/[\0-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .trim();
