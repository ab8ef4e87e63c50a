import { Parser } from 'htmlparser2';
import { createSections, type Pages, Unreadable } from './pages.ts';

const SKIPPED = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'title',
  'svg',
  'math',
  'object',
  'iframe',
]);
const BLOCKS = new Set(
  'address article aside blockquote dd div dl dt figcaption figure footer form header li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);
const MOST_OPEN = 2000;

/** The whole text of a page: unlike a page of the web, a document has no parts around it that no one wants. */
export function readHtml(html: string, pages: Pages): void {
  const sections = createSections(pages);
  const open: { readonly isHidden: boolean; readonly isPre: boolean }[] = [];
  let text = '';
  let row: string[] | undefined;

  const end = (level = 0) => {
    const given = text.trim();
    text = '';
    if (given === '') return;
    if (level > 0) sections.heading(level, given);
    else sections.paragraph(given);
  };
  const cell = () => {
    row?.push(text.replaceAll(/\s+/g, ' ').trim());
    text = '';
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length === MOST_OPEN) throw new Unreadable('Its elements are nested too deeply.');
      const above = open.at(-1);
      const element = {
        isHidden: isHidden(name, attributes) || !!above?.isHidden,
        isPre: name === 'pre' || !!above?.isPre,
      };
      open.push(element);
      if (element.isHidden) return;
      if (name === 'br') text += '\n';
      else if (name === 'tr') [row, text] = [(end(), []), ''];
      else if (row === undefined && (BLOCKS.has(name) || /^h[1-6]$/.test(name))) end();
      if (name === 'li') text = '- ';
    },
    ontext(given) {
      const top = open.at(-1);
      if (top?.isHidden) return;
      text += top?.isPre ? given : collapse(given, text);
    },
    onclosetag(name) {
      const top = open.pop();
      if (top?.isHidden) return;
      if ((name === 'td' || name === 'th') && row) cell();
      else if (name === 'tr' && row) [row, text] = [undefined, row.join(' | ')];
      else if (row !== undefined) return;
      else if (/^h[1-6]$/.test(name)) end(Number(name[1]));
      else if (BLOCKS.has(name)) end();
    },
  });
  parser.end(html);
  end();
}

const collapse = (given: string, before: string): string => {
  const text = given.replaceAll(/[ \t\n\r\f]+/g, ' ');
  return /^\s?$/.test(before.slice(-1)) ? text.replace(/^ /, '') : text;
};

const isHidden = (name: string, { hidden, style = '' }: Readonly<Record<string, string>>): boolean =>
  SKIPPED.has(name) ||
  hidden !== undefined ||
  /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 1000));
