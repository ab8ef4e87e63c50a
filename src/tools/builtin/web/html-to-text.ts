import { Parser } from 'htmlparser2';
import { withoutMarks } from '#domain/text/numbered-links.ts';

export type ReadablePage = { readonly title: string; readonly text: string };

/** A page with its lines, from which the main text can be chosen. */
export type ParsedPage = {
  readonly title: string;
  /** The day of publication, as the page says it. */
  readonly published: string | undefined;
  readonly hasScripts: boolean;
  readonly lines: readonly Line[];
};

/** A line of text, or several of a `pre`, with what tells an article from what stands around it. */
export type Line = Place & {
  readonly tag: string;
  readonly pieces: readonly (string | Link)[];
  readonly length: number;
  /** How many of its characters belong to links. */
  readonly linkLength: number;
  /** Whether an empty line is before it. */
  readonly isApart: boolean;
};

export type Link = { readonly address: string };

/** `isInForm`: some pages are one large form, so this says less than the other marks of an aside. */
type Place = { readonly isAside: boolean; readonly isInForm: boolean; readonly isMain: boolean };

/** The readable content of a page: headings, paragraphs, lists, tables, and links with their URLs. */
export function htmlToText(html: string, base: URL, look: Look = {}): ReadablePage {
  const { title, lines } = parseHtml(html, base, look);
  return { title, text: joinLines(lines, ({ address }) => ` (${address})`) };
}

export function parseHtml(html: string, base: URL, { background }: Look = {}): ParsedPage {
  const open: OpenElement[] = [];
  const page = createPage();
  const sheet = createSheet();
  let title = '';
  let published: string | undefined;
  let hasScripts = false;

  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length === MAX_OPEN) parser.reset(); // nothing else of the page is read
      const above = open.at(-1);
      if (name === 'script') hasScripts = true;
      if (name === 'meta') published ??= dateOf(attributes);
      const colors = colorsOf(attributes, above ?? { background, color: undefined });
      const isInvisible = colors.color !== undefined && colors.color === colors.background;
      const isHidden =
        above?.isHidden ||
        isInvisible ||
        open.length >= MAX_DEPTH ||
        isHiddenElement(name, attributes) ||
        sheet.hides(name, attributes);
      if (!isHidden) page.begin(name, attributes);
      open.push({
        ...colors,
        name,
        isHidden,
        isPre: name === 'pre' || (above?.isPre ?? false),
        isAside: above?.isAside || isBesideText(name, attributes),
        isInForm: above?.isInForm || name === 'form',
        isMain: above?.isMain || name === 'main' || attributes['role'] === 'main' || isArticleBody(attributes),
        isLinked: above?.isLinked || name === 'a',
        link: name === 'a' && !isHidden ? linkOf(attributes, base) : undefined,
      });
    },
    ontext(text) {
      const top = open.at(-1);
      if (top?.name === 'title') title += text;
      else if (top?.name === 'style' && background) sheet.read(text);
      else if (!top?.isHidden) page.write(text, top);
    },
    onclosetag() {
      const element = open.pop();
      if (element && !element.isHidden) page.end(element);
    },
  });
  const isReadable = () => open.length <= MAX_OPEN && page.lines().length < MAX_LINES;
  for (let at = 0; at < html.length && isReadable(); at += PIECE) parser.write(html.slice(at, at + PIECE));
  parser.end();
  return { title: oneLine(title), published, hasScripts, lines: page.lines() };
}

/** The size of the parsed chunks. The depth and the number of lines are checked after each one. */
const PIECE = 16 * 1024;

type Attributes = Readonly<Record<string, string>>;

/** `background`: of a mail, the colour behind the text unless an element sets another. Text in that colour is then not read. */
type Look = { readonly background?: 'white' };

type Colors = { readonly color: string | undefined; readonly background: string | undefined };

type OpenElement = Colors &
  Place & {
    readonly name: string;
    readonly isHidden: boolean;
    readonly isPre: boolean;
    readonly isLinked: boolean;
    readonly link: string | undefined;
  };

/** Deeper elements are ignored; readable content is never so deep. */
const MAX_DEPTH = 256;

/** The colours of an element, as far as its attributes show them. */
function colorsOf(attributes: Attributes, above: Colors): Colors {
  const { style = '' } = attributes;
  if (style === '' && !attributes['bgcolor'] && !attributes['color']) return above;
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

/** No text that anyone reads has so many lines. The rest is left out. */
const MAX_LINES = 50_000;

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

/** Elements that stand beside the text of a page, by their names, roles, classes and ids. */
function isBesideText(name: string, attributes: Attributes): boolean {
  if (ASIDES.has(name) || ASIDE_ROLES.has(attributes['role'] ?? '')) return true;
  if (!BLOCKS.has(name) || name === 'body' || name === 'article' || name === 'main') return false;
  const { class: classes = '', id = '' } = attributes;
  if (classes === '' && id === '') return false;
  const names = `${classes} ${id}`.slice(0, MAX_NAMES);
  return ASIDE_NAMES.test(names) && !TEXT_NAMES.test(names);
}

const MAX_NAMES = 300;
const ASIDES = new Set(['nav', 'aside', 'footer']);
const ASIDE_ROLES = new Set([
  'navigation',
  'complementary',
  'contentinfo',
  'banner',
  'search',
  'dialog',
  'alertdialog',
]);
const ASIDE_NAMES =
  /(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|side-?bar|footer|cookies?|consent|share|sharing|social|related|recommend(?:ed|ations)?|promo|advert(?:isement)?|ads?|newsletter|subscribe|breadcrumbs?|comments?|pagination|widget|banner|popup|modal|toolbar|masthead|trending|popular|most-read)(?:$|[\s_-])/i;
const TEXT_NAMES = /article|story|(?:post|entry|main|page)-?(?:body|content|text)|(?:body|content)-?(?:text|body)/i;

const isArticleBody = (attributes: Attributes): boolean => attributes['itemprop'] === 'articleBody';

function dateOf(attributes: Attributes): string | undefined {
  const name = attributes['property'] ?? attributes['name'] ?? attributes['itemprop'] ?? '';
  if (!DATES.has(name.toLowerCase())) return undefined;
  return /^\d{4}-\d\d-\d\d/.exec(attributes['content'] ?? '')?.[0];
}

const DATES = new Set(['article:published_time', 'datepublished', 'date', 'dc.date', 'dcterms.date', 'pubdate']);

type GrowingLine = { -readonly [Field in keyof Line]: Line[Field] } & { pieces: (string | Link)[] };

/** Lines of text as they grow. */
function createPage() {
  const lines: GrowingLine[] = [];
  let line: GrowingLine | undefined; // undefined at the start of one
  let tag = '';
  let isApart = false;
  let isLinkEmpty = true;

  const put = (piece: string | Link, place?: Partial<Place>): GrowingLine => {
    if (!line) {
      line = { tag, isApart, pieces: [], length: 0, linkLength: 0, isAside: false, isInForm: false, isMain: false };
      lines.push(line);
      isApart = false;
    }
    line.pieces.push(piece);
    if (place) {
      line.isAside = place.isAside ?? false;
      line.isInForm = place.isInForm ?? false;
      line.isMain = place.isMain ?? false;
    }
    return line;
  };

  return {
    write(text: string, place: (Place & Pick<OpenElement, 'isPre' | 'isLinked'>) | undefined): void {
      const plain = withoutMarks(text);
      const words = place?.isPre ? plain : plain.replace(/\s+/g, ' ');
      const shown = line || place?.isPre ? words : words.trimStart();
      if (shown === '') return;
      const { length } = shown.trim();
      const written = put(shown, place ?? {});
      written.length += length;
      if (place?.isLinked) written.linkLength += length;
      if (length > 0) isLinkEmpty = false;
    },
    begin(name: string, attributes: Attributes): void {
      if (name === 'a') isLinkEmpty = true;
      if (BLOCKS.has(name) || name === 'br') line = undefined;
      if (BLOCKS.has(name)) tag = name;
      const heading = /^h([1-6])$/.exec(name)?.[1];
      if (heading || name === 'p' || name === 'table') isApart = true;
      if (heading) put(`${'#'.repeat(Number(heading))} `);
      if (name === 'li') put('- ');
      if ((name === 'td' || name === 'th') && line) put(' | ');
      const alt = name === 'img' ? oneLine(attributes['alt'] ?? '') : '';
      if (alt) put(`[image: ${withoutMarks(alt.slice(0, 200))}]`);
    },
    end({ name, link }: OpenElement): void {
      if (link && !isLinkEmpty) put({ address: link });
      if (!BLOCKS.has(name)) return;
      line = undefined;
      tag = '';
    },
    lines: (): readonly Line[] => lines,
  };
}

/** The text of these lines. `showLink` writes an address after the words of its link. */
export function joinLines(lines: readonly Line[], showLink: (link: Link) => string): string {
  return lines
    .map(({ pieces, isApart }) => {
      const text = pieces.map((piece) => (typeof piece === 'string' ? piece : showLink(piece))).join('');
      return (isApart ? '\n' : '') + text;
    })
    .join('\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
