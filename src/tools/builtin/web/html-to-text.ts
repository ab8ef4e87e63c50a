import { type HtmlToken, readTokens } from './html-tokens.ts';

export type ReadablePage = { readonly title: string; readonly text: string };

/** What a person would read on the page: headings, paragraphs, lists, tables, and links with their addresses. */
export function htmlToText(html: string, base: URL): ReadablePage {
  const open: OpenElement[] = [];
  const page = createPage();
  let title = '';
  let tooDeep = 0;

  for (const token of readTokens(html)) {
    const top = open.at(-1);
    if (token.type === 'text') {
      if (top?.name === 'title') title ||= oneLine(token.text);
      else if (!top?.isHidden) page.write(token.text, top?.isPre ?? false);
    } else if (token.type === 'open') {
      openElement(token);
    } else {
      closeElement(token.name);
    }
  }
  return { title, text: page.read() };

  function openElement({ name, attributes }: Extract<HtmlToken, { type: 'open' }>): void {
    if (CLOSED_BY_ITSELF.has(name) && open.at(-1)?.name === name) closeElement(name);
    const isHidden = open.at(-1)?.isHidden || open.length === MAX_DEPTH || isHiddenElement(name, attributes);
    if (!isHidden) page.begin(name, attributes);
    if (VOID.has(name)) return;
    if (open.length > MAX_DEPTH) {
      tooDeep++;
      return;
    }
    const isPre = name === 'pre' || (open.at(-1)?.isPre ?? false);
    open.push({ name, isHidden, isPre, link: name === 'a' && !isHidden ? linkOf(attributes, base) : undefined });
  }

  function closeElement(name: string): void {
    if (tooDeep > 0) {
      tooDeep--;
      return;
    }
    const index = open.findLastIndex((element) => element.name === name);
    if (index < 0) return;
    for (const element of open.splice(index).toReversed()) if (!element.isHidden) page.end(element);
  }
}

type OpenElement = {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isPre: boolean;
  readonly link: string | undefined;
};

/** Nothing that is meant to be read lies deeper, and nothing is. */
const MAX_DEPTH = 256;

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const CLOSED_BY_ITSELF = new Set('p li tr td th dt dd option'.split(' '));
const UNREAD = new Set(
  'script style template svg math iframe object canvas audio video noscript datalist select'.split(' '),
);
const BLOCKS = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul body'.split(
    ' ',
  ),
);

/** What is written for machines alone is not for the model either. A style sheet could hide more than can be seen here. */
function isHiddenElement(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (UNREAD.has(name) || attributes.has('hidden') || attributes.get('aria-hidden')?.trim() === 'true') return true;
  return HIDING.test(attributes.get('style') ?? '');
}

const HIDING =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0?\.?0{0,3}\s{0,9}(?:;|!|$)|font-size\s{0,9}:\s{0,9}0|(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{3,}|(?:max-)?(?:width|height)\s{0,9}:\s{0,9}0(?:px)?\s{0,9}(?:;|!|$)|clip(?:-path)?\s{0,9}:/i;

function linkOf(attributes: ReadonlyMap<string, string>, base: URL): string | undefined {
  const href = attributes.get('href')?.trim();
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
    begin(name: string, attributes: ReadonlyMap<string, string>): void {
      if (name === 'a') linkText = '';
      if (BLOCKS.has(name) || name === 'br') newLine();
      const heading = /^h([1-6])$/.exec(name)?.[1];
      if (heading || name === 'p' || name === 'table') pieces.push('\n');
      if (heading) put(`${'#'.repeat(Number(heading))} `);
      if (name === 'li') put('- ');
      if ((name === 'td' || name === 'th') && !atStart) put(' | ');
      const alt = name === 'img' ? oneLine(attributes.get('alt') ?? '') : '';
      if (alt) this.write(`[image: ${alt.slice(0, 200)}]`, false);
    },
    end({ name, link }: OpenElement): void {
      if (link && linkText.trim() !== '') put(` (${link})`);
      if (BLOCKS.has(name)) newLine();
    },
    read: () =>
      pieces
        .join('')
        .replace(/[^\S\n]+\n/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
