import { Lexer, type MarkedToken, type Token, Tokenizer } from 'marked';
import { splitMarkdown } from './split-markdown.ts';

/** How a platform writes what Markdown says. Each function gets plain text, except where it says `rendered`. */
export type Dialect = {
  /** Escapes text, so that the platform shows it as it is and calls no one. */
  text(plain: string): string;
  /** A character that Markdown has escaped, so that it has no meaning. */
  literal(character: string): string;
  code(plain: string): string;
  block(plain: string, language: string): string;
  quote(rendered: readonly string[]): string;
  bold(rendered: string): string;
  italic(rendered: string): string;
  struck(rendered: string): string;
  /** `href` is a web address without credentials. */
  link(href: string, label: string): string;
};

/** marked takes quadratic time for some texts, so it gets pieces of this size. */
const PIECE = 4000;
/** A paragraph with more marks than this is shown as it is, and deeper quotes and lists are text. */
const MAX_MARKS = 200;
const MAX_NESTING = 8;

/**
 * Markdown in the markup of a platform. All text goes through the dialect, so only markup made here remains, and it is always
 * closed. A link shows where it leads when its text claims another place.
 */
export function renderMarkdown(markdown: string, dialect: Dialect): string {
  return splitMarkdown(markdown, PIECE)
    .map((piece) => renderBlocks(parseMarkdown(piece), { dialect, inside: [] }).trimEnd())
    .join('\n\n');
}

/** HTML and definitions of links are text: nothing that a model wrote is hidden. */
class ChatTokenizer extends Tokenizer {
  override html(): undefined {}
  override tag(): undefined {}
  override def(): undefined {}
}

function parseMarkdown(markdown: string): Token[] {
  const lexer = new Lexer({ gfm: true, tokenizer: new ChatTokenizer() });
  const blocks = lexer.blockTokens(markdown.replaceAll(/\r\n?/g, '\n').split('\n').map(boundNesting).join('\n'), []);
  for (const { src, tokens } of lexer.inlineQueue)
    if ((src.match(/[*_~`[\]<\\!]/g)?.length ?? 0) <= MAX_MARKS) lexer.inlineTokens(src, tokens);
    else tokens.push({ type: 'text', raw: src, text: src });
  return blocks;
}

/** Escapes the mark of a quote or list that is nested too deeply. A line of nothing but marks is a rule. */
function boundNesting(line: string): string {
  const [marks] = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*/.exec(line) ?? [''];
  const found = [...marks.matchAll(/>|[-*+]|\d+[.)]/g)];
  const next = found[MAX_NESTING];
  if (!next || /^[ \t]*([-*])(?:[ \t]*\1)*[ \t]*$/.test(line)) return line;
  const at = next.index + next[0].length - 1;
  return `${line.slice(0, at)}\\${line.slice(at)}`;
}

/** `inside`: the kinds of markup around it. No platform nests a kind in itself. */
type Place = { readonly dialect: Dialect; readonly inside: readonly string[] };

const within = ({ dialect, inside }: Place, kind: string): Place => ({ dialect, inside: [...inside, kind] });

const renderBlocks = (blocks: readonly Token[], place: Place): string =>
  blocks.map((block) => renderBlock(block as MarkedToken, place) + newlinesAfter(block.raw)).join('');

/** Blocks stay as far apart as they were written. */
const newlinesAfter = (raw: string) => raw.slice(raw.trimEnd().length).replaceAll(/[^\n]/g, '');

function renderBlock(block: MarkedToken, place: Place): string {
  const { dialect } = place;
  switch (block.type) {
    case 'space':
      return '';
    case 'code':
      return dialect.block(block.text, /^[\w+#-]{0,20}/.exec(block.lang ?? '')?.[0] ?? '');
    case 'table':
      return dialect.block(block.raw.trimEnd(), '');
    case 'hr':
      return '———';
    case 'heading':
      return dialect.bold(renderInlines(block.tokens, within(place, 'strong')));
    case 'blockquote':
      return renderQuote(renderBlocks(block.tokens, within(place, 'quote')).trimEnd().split('\n'), place);
    case 'list':
      return block.items
        .map((item, index) => {
          const mark = block.ordered ? `${Number(block.start) + index}.` : '•';
          const content = renderBlocks(item.tokens, place)
            .trimEnd()
            .replaceAll(/\n(?=[^\n])/g, '\n  ');
          return `${mark} ${content}${newlinesAfter(item.raw)}`;
        })
        .join('');
    default:
      return 'tokens' in block && block.tokens ? renderInlines(block.tokens, place) : renderInline(block, place);
  }
}

const renderQuote = (lines: readonly string[], { dialect, inside }: Place): string =>
  inside.includes('quote') ? lines.map((line) => dialect.text('> ') + line).join('\n') : dialect.quote(lines);

const renderInlines = (tokens: readonly Token[], place: Place): string =>
  tokens.map((token) => renderInline(token as MarkedToken, place)).join('');

function renderInline(token: MarkedToken, place: Place): string {
  const { dialect, inside } = place;
  switch (token.type) {
    case 'escape':
      return dialect.literal(token.text);
    case 'codespan':
      return dialect.code(token.text);
    case 'br':
      return '\n';
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'image':
      return renderLink(token.text, token.href, dialect);
    case 'link':
      return isBare(token.raw) ? dialect.text(token.raw) : renderLink(plainOf(token.tokens), token.href, dialect);
    case 'strong':
    case 'em':
    case 'del': {
      const inner = renderInlines(token.tokens, within(place, token.type));
      if (inside.includes(token.type)) return inner;
      if (token.type === 'strong') return dialect.bold(inner);
      return token.type === 'em' ? dialect.italic(inner) : dialect.struck(inner);
    }
    default:
      return dialect.text(token.raw);
  }
}

/** An address in the text, which the platform makes a link if it wants to, and `<a@b.example>`. */
const isBare = (raw: string) => !/^[[<]/.test(raw) || /^<[^:]*>$/.test(raw);

/** Text without its markup. */
const plainOf = (tokens: readonly Token[]): string => (tokens as MarkedToken[]).map(plainOne).join('');

function plainOne(token: MarkedToken): string {
  if ('tokens' in token && token.tokens) return plainOf(token.tokens);
  return 'text' in token ? token.text : ' ';
}

const MAX_LABEL = 500;

/** Only web addresses become links, and only if the text does not claim another host. */
function renderLink(label: string, target: string, dialect: Dialect): string {
  const url = URL.parse(target);
  const shown = label.trim().replaceAll(/\s+/g, ' ') || target;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username || url.password) return dialect.text(`${shown} (${url?.host || target})`);
  if (shown.length > MAX_LABEL) return dialect.text(`${shown} (${url.href})`);
  const claimed = [...shown.matchAll(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu)].map(([host]) => host.toLowerCase());
  const isHonest = claimed.every((host) => url.host === host || url.host === `www.${host}` || shown === target);
  return isHonest ? dialect.link(url.href, shown) : dialect.text(`${shown} (${url.href})`);
}
