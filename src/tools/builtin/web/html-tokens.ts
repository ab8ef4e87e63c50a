import { decodeEntities } from './entities.ts';

export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: 'close'; readonly name: string };

/** The tags and texts of a page, in one pass and however broken it is. Comments and declarations are left out. */
export function* readTokens(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    const end = open < 0 ? html.length : open;
    if (end > at) yield { type: 'text', text: decodeEntities(html.slice(at, end)) };
    if (open < 0) return;

    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4);
    } else if (/[!?]/.test(html.charAt(open + 1))) {
      at = after(html, '>', open);
    } else if (!/^<\/?[a-z]/i.test(html.slice(open, open + 3))) {
      yield { type: 'text', text: '<' };
      at = open + 1;
    } else {
      const { token, next } = readTag(html, open);
      at = next;
      yield token;
      if (token.type !== 'open' || !RAW.has(token.name)) continue;
      const close = closeOf(html, token.name, at);
      if (token.name === 'title') yield { type: 'text', text: decodeEntities(html.slice(at, close)) };
      at = close;
    }
  }
}

/** Between these no tag counts but the closing one. Only of a title is the text worth reading. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript']);

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function closeOf(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** Ends at the first `>` that is not in the value of an attribute. Where there is none, the rest of the page is the tag. */
function readTag(html: string, open: number): { token: HtmlToken; next: number } {
  const isClose = html.charAt(open + 1) === '/';
  const start = open + (isClose ? 2 : 1);
  NAME.lastIndex = start;
  const name = (NAME.exec(html)?.[0] ?? '').toLowerCase();
  const attributes = new Map<string, string>();
  let at = start + name.length;
  while (at < html.length && html.charAt(at) !== '>') at = readAttribute(html, at, attributes);
  return { token: isClose ? { type: 'close', name } : { type: 'open', name, attributes }, next: at + 1 };
}

const NAME = /[^\s/>]{1,64}/y;
const GAP = /[\s/]+/y;
const ATTRIBUTE = /([^\s/>=]+)(?:\s{0,100}=\s{0,100}(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s>]*)))?|=/y;
const MAX_ATTRIBUTES = 100;

function readAttribute(html: string, at: number, attributes: Map<string, string>): number {
  GAP.lastIndex = at;
  const gap = GAP.exec(html)?.[0].length ?? 0;
  if (gap > 0) return at + gap;

  ATTRIBUTE.lastIndex = at;
  const [whole = '?', name = '', double, single, plain] = ATTRIBUTE.exec(html) ?? [];
  const key = name.toLowerCase();
  if (attributes.size < MAX_ATTRIBUTES && !attributes.has(key))
    attributes.set(key, decodeEntities(double ?? single ?? plain ?? ''));
  return at + whole.length;
}
