import { Parser } from 'htmlparser2';

export type ReadablePage = { readonly title: string; readonly text: string };

/** The readable content of a page: headings, paragraphs, lists, tables, and links with their URLs. */
export function htmlToText(html: string, base: URL): ReadablePage {
  const open: OpenElement[] = [];
  const page = createPage();
  let title = '';

  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length === MAX_OPEN) parser.reset(); // nothing else of the page is read
      const above = open.at(-1);
      const isHidden = above?.isHidden || open.length >= MAX_DEPTH || isHiddenElement(name, attributes);
      if (!isHidden) page.begin(name, attributes);
      const isPre = name === 'pre' || (above?.isPre ?? false);
      open.push({ name, isHidden, isPre, link: name === 'a' && !isHidden ? linkOf(attributes, base) : undefined });
    },
    ontext(text) {
      const top = open.at(-1);
      if (top?.name === 'title') title += text;
      else if (!top?.isHidden) page.write(text, top?.isPre ?? false);
    },
    onclosetag() {
      const element = open.pop();
      if (element && !element.isHidden) page.end(element);
    },
  });
  for (let at = 0; at < html.length && open.length <= MAX_OPEN; at += PIECE) parser.write(html.slice(at, at + PIECE));
  parser.end();
  return { title: oneLine(title), text: page.read() };
}

/** The size of the parsed chunks. The depth is checked after each one. */
const PIECE = 16 * 1024;

type Attributes = Readonly<Record<string, string>>;

type OpenElement = {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isPre: boolean;
  readonly link: string | undefined;
};

/** Deeper elements are ignored; readable content is never so deep. */
const MAX_DEPTH = 256;

/** The parser slows down with the depth, so parsing stops at this many open elements. */
const MAX_OPEN = 1_000;

const UNREAD = new Set(
  'script style template svg math iframe object canvas audio video noscript noembed noframes xmp textarea datalist select'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul body'.split(
    ' ',
  ),
);

/** Elements that readers don't see. A style sheet could hide more, which is not detected. */
function isHiddenElement(name: string, attributes: Attributes): boolean {
  if (UNREAD.has(name) || attributes['hidden'] !== undefined || attributes['aria-hidden']?.trim() === 'true')
    return true;
  return HIDING.test(attributes['style'] ?? '');
}

const HIDING =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0?\.?0{0,3}\s{0,9}(?:;|!|$)|font-size\s{0,9}:\s{0,9}0|(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{3,}|(?:max-)?(?:width|height)\s{0,9}:\s{0,9}0(?:px)?\s{0,9}(?:;|!|$)|clip(?:-path)?\s{0,9}:/i;

function linkOf(attributes: Attributes, base: URL): string | undefined {
  const href = attributes['href']?.trim();
  if (!href || href.startsWith('#') || href.length > 2000) return undefined;
  const url = URL.parse(href, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Lines of text as they grow. */
function createPage() {
  const pieces: string[] = [];
  let atStart = true; // of a line
  let linkText = '';

  const put = (text: string) => {
    pieces.push(text);
    linkText += text.slice(0, 500);
  };
  const newLine = () => {
    if (!atStart) pieces.push('\n');
    atStart = true;
  };

  return {
    write(text: string, isPre: boolean): void {
      const words = isPre ? text : text.replace(/\s+/g, ' ');
      const shown = atStart && !isPre ? words.trimStart() : words;
      if (shown === '') return;
      put(shown);
      atStart = shown.endsWith('\n');
    },
    begin(name: string, attributes: Attributes): void {
      if (name === 'a') linkText = '';
      if (BLOCKS.has(name) || name === 'br') newLine();
      const heading = /^h([1-6])$/.exec(name)?.[1];
      if (heading || name === 'p' || name === 'table') pieces.push('\n');
      if (heading) put(`${'#'.repeat(Number(heading))} `);
      if (name === 'li') put('- ');
      if ((name === 'td' || name === 'th') && !atStart) put(' | ');
      const alt = name === 'img' ? oneLine(attributes['alt'] ?? '') : '';
      if (alt) this.write(`[image: ${alt.slice(0, 200)}]`, false);
    },
    end({ name, link }: OpenElement): void {
      if (link && linkText.trim() !== '') put(` (${link})`);
      if (BLOCKS.has(name)) newLine();
    },
    read: () =>
      pieces
        .join('')
        .split('\n')
        .map((line, index, lines) => (index < lines.length - 1 ? line.trimEnd() : line))
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
