import { Parser } from 'htmlparser2';

export type ReadablePage = { readonly title: string; readonly text: string };

/** The readable content of a page: headings, paragraphs, lists, tables, and links with their URLs. */
export function htmlToText(html: string, base: URL, { background }: Look = {}): ReadablePage {
  const open: OpenElement[] = [];
  const page = createPage();
  const sheet = createSheet();
  let title = '';

  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length === MAX_OPEN) parser.reset(); // nothing else of the page is read
      const above = open.at(-1);
      const colors = colorsOf(attributes, above ?? { background, color: undefined });
      const isInvisible = colors.color !== undefined && colors.color === colors.background;
      const isHidden =
        above?.isHidden ||
        isInvisible ||
        open.length >= MAX_DEPTH ||
        isHiddenElement(name, attributes) ||
        sheet.hides(name, attributes);
      if (!isHidden) page.begin(name, attributes);
      const isPre = name === 'pre' || (above?.isPre ?? false);
      open.push({
        ...colors,
        name,
        isHidden,
        isPre,
        link: name === 'a' && !isHidden ? linkOf(attributes, base) : undefined,
      });
    },
    ontext(text) {
      const top = open.at(-1);
      if (top?.name === 'title') title += text;
      else if (top?.name === 'style' && background) sheet.read(text);
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

/** `background`: of a mail, the colour behind the text unless an element sets another. Text in that colour is then not read. */
type Look = { readonly background?: 'white' };

type Colors = { readonly color: string | undefined; readonly background: string | undefined };

type OpenElement = Colors & {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isPre: boolean;
  readonly link: string | undefined;
};

/** Deeper elements are ignored; readable content is never so deep. */
const MAX_DEPTH = 256;

/** The colours of an element, as far as its attributes show them. */
function colorsOf(attributes: Attributes, above: Colors): Colors {
  const style = attributes['style'] ?? '';
  const behind = /background(?:-color)?\s{0,9}:\s{0,9}([^;!]{1,60})/i.exec(style)?.[1] ?? attributes['bgcolor'];
  const front = /(?:^|[;\s])color\s{0,9}:\s{0,9}([^;!]{1,60})/i.exec(style)?.[1] ?? attributes['color'];
  return {
    color: front === undefined ? above.color : toColor(front),
    background: behind === undefined || /transparent/i.test(behind) ? above.background : toColor(behind),
  };
}

/** Colours that look the same are written the same. */
function toColor(given: string): string {
  const color = given.trim().toLowerCase().replaceAll(/\s+/g, '');
  const [, short] = /^#([\da-f]{3})[\da-f]?$/.exec(color) ?? [];
  const hex = short ? short.replaceAll(/./g, '$&$&') : /^#?([\da-f]{6})(?:[\da-f]{2})?$/.exec(color)?.[1];
  const parts = /^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})/.exec(color)?.slice(1).map(Number);
  const [red, green, blue] = hex ? [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) : (parts ?? []);
  if (red === undefined || green === undefined || blue === undefined) return color;
  // Nearly white is as invisible on white as white is.
  return Math.min(red, green, blue) >= 245 ? 'white' : `${red},${green},${blue}`;
}

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

/** The plain rules of the style sheets of a mail, as far as they hide elements. Rules for some screens or for printers don't count. */
function createSheet() {
  const hidden = new Set<string>();
  let text = '';
  let depth = 0;
  return {
    read(piece: string): void {
      for (const part of piece.slice(0, MAX_SHEET).split(/(?<=[{}])/)) {
        text += part;
        if (part.endsWith('{')) depth++;
        if (!part.endsWith('}')) continue;
        depth = Math.max(0, depth - 1);
        if (depth > 0) continue;
        const [selectors = '', rules = ''] = text.split('{', 2);
        if (!selectors.includes('@') && HIDING.test(rules.replace('}', '')))
          for (const selector of selectors.split(',', MAX_SELECTORS)) hidden.add(selector.trim().toLowerCase());
        text = '';
      }
    },
    hides(name: string, { class: classes = '', id }: Attributes): boolean {
      if (hidden.size === 0) return false;
      const names = classes
        .toLowerCase()
        .split(/\s+/, MAX_SELECTORS)
        .flatMap((each) => [`.${each}`, `${name}.${each}`]);
      return [name, `#${id?.toLowerCase()}`, ...names].some((selector) => hidden.has(selector));
    },
  };
}

const MAX_SHEET = 200_000;
const MAX_SELECTORS = 50;

/** Elements that readers don't see. Style sheets of pages, which scripts change, are not read. */
function isHiddenElement(name: string, attributes: Attributes): boolean {
  if (UNREAD.has(name) || attributes['hidden'] !== undefined || attributes['aria-hidden']?.trim() === 'true')
    return true;
  return HIDING.test(attributes['style'] ?? '');
}

const HIDING =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0?\.?0{0,3}\s{0,9}(?:;|!|$)|font-size\s{0,9}:\s{0,9}(?:0|1p[xt])|(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{3,}|(?:max-)?(?:width|height)\s{0,9}:\s{0,9}0(?:px)?\s{0,9}(?:;|!|$)|clip(?:-path)?\s{0,9}:/i;

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
