import PostalMime, { type Address } from 'postal-mime';
import { readHtml } from './html-text.ts';
import { createRows, createSections, type Pages, Unreadable } from './pages.ts';

/** UTF-8 or what the byte order mark says; otherwise the encoding that Windows used. */
export function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, 8192).includes(0)) throw new Unreadable('It is not a text.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function readText(text: string, pages: Pages): void {
  const sections = createSections(pages);
  for (const paragraph of paragraphsOf(text)) sections.paragraph(paragraph);
}

/** Headings begin sections, except those in code. */
export function readMarkdown(text: string, pages: Pages): void {
  const sections = createSections(pages);
  let lines: string[] = [];
  let fence = '';
  const end = () => {
    for (const paragraph of paragraphsOf(lines.join('\n'))) sections.paragraph(paragraph);
    lines = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const [, level, title = ''] = (fence === '' && /^ {0,3}(#{1,6})[ \t]([^\n]*)$/.exec(line)) || [];
    if (level) {
      end();
      sections.heading(level.length, title.trim().replace(/[ \t]#+$/, ''));
    } else lines.push(line);
  }
  end();
}

/** Rows of a hundred, as in a sheet. A line in quotes that has several lines counts as several rows. */
export function readCsv(text: string, pages: Pages): void {
  const rows = createRows(pages, '');
  text.split(/\r\n|\r|\n/).forEach((line, index) => rows.row(index + 1, line));
  rows.flush();
}

export async function readMail(bytes: Uint8Array, pages: Pages): Promise<void> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: 20, maxHeadersSize: 1024 * 1024 });
  const names = (list: readonly Address[] = []) => list.map(nameOf).join(', ');
  const lines = [
    ['From', mail.from && nameOf(mail.from)],
    ['To', names(mail.to)],
    ['Cc', names(mail.cc)],
    ['Date', mail.date],
    ['Subject', mail.subject],
    ['Attachments', mail.attachments.map(({ filename }) => filename ?? 'without a name').join(', ')],
  ];
  const head = lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  if (head.length === 0) throw new Unreadable('It is not a mail.');
  readText(head.join('\n'), pages);
  if (mail.text) readText(mail.text, pages);
  else if (mail.html) readHtml(mail.html, pages);
}

const nameOf = ({ name, address }: Address): string => [name, address && `<${address}>`].filter(Boolean).join(' ');

const paragraphsOf = (text: string): string[] => text.replaceAll(/\r\n|\r/g, '\n').split(/\n[ \t]*\n/);
