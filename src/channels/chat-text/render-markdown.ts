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

/**
 * Markdown in the markup of a platform. All text goes through the dialect, so only markup made here remains, and it is always
 * closed. A link shows where it leads when its text claims another place.
 */
export function renderMarkdown(markdown: string, dialect: Dialect): string {
  const lines = markdown.split('\n');
  const made: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#-]{0,20})/.exec(line);
    if (fence) {
      const end = findFenceEnd(lines, index + 1, fence[1] ?? '');
      made.push(dialect.block(lines.slice(index + 1, end).join('\n'), fence[2] ?? ''));
      index = end + 1;
      continue;
    }
    const block = blockAt(lines, index, dialect);
    if (block) {
      made.push(block.rendered);
      index = block.next;
      continue;
    }
    made.push(renderLine(line, dialect));
    index++;
  }
  return made.join('\n');
}

/** The line that closes a code block, or the end of the text. */
function findFenceEnd(lines: readonly string[], from: number, marks: string): number {
  const found = lines.findIndex(
    (line, index) => index >= from && line.trim().startsWith(marks) && /^ {0,3}(`+|~+)\s*$/.test(line),
  );
  return found === -1 ? lines.length : found;
}

/** Quotes and tables, which take several lines. */
function blockAt(
  lines: readonly string[],
  from: number,
  dialect: Dialect,
): { readonly rendered: string; readonly next: number } | undefined {
  const run = (matches: RegExp) => {
    let next = from;
    while (matches.test(lines[next] ?? '')) next++;
    return next;
  };
  const quoteEnd = run(/^ {0,3}>/);
  if (quoteEnd > from) {
    const inside = lines.slice(from, quoteEnd).map((line) => renderLine(line.replace(/^ {0,3}> ?/, ''), dialect));
    return { rendered: dialect.quote(inside), next: quoteEnd };
  }
  const tableEnd = run(/^\s*\|.*\|\s*$/);
  if (tableEnd - from >= 2)
    return { rendered: dialect.block(lines.slice(from, tableEnd).join('\n'), ''), next: tableEnd };
  return undefined;
}

function renderLine(line: string, dialect: Dialect): string {
  const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
  if (heading !== undefined) return dialect.bold(renderInline(heading, dialect));
  if (/^ {0,3}([-*_])( *\1){2,}\s*$/.test(line)) return '———';
  const [, indent = '', rest] = /^(\s*)[-*+]\s+(.*)$/.exec(line) ?? [];
  return rest === undefined ? renderInline(line, dialect) : `${indent}• ${renderInline(rest, dialect)}`;
}

const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[\\\x60*_{}[\]()#+\-.!~>|])`,
    String.raw`(?<ticks>\x60+)(?<code>.+?)(?<!\x60)\k<ticks>(?!\x60)`,
    String.raw`!?\[(?<label>[^[\]\n]{0,500})\]\((?<url>[^\s()]{1,2000}(?:\([^\s()]*\)[^\s()]*)?)(?:\s+"[^"\n]*")?\)`,
    String.raw`\*\*(?=\S)(?<bold>.+?)(?<=\S)\*\*`,
    String.raw`(?<!\w)__(?=\S)(?<strong>.+?)(?<=\S)__(?!\w)`,
    String.raw`~~(?=\S)(?<struck>.+?)(?<=\S)~~`,
    String.raw`(?<![\w*])\*(?=[^\s*])(?<italic>[^*\n]+?)(?<=\S)\*(?![\w*])`,
    String.raw`(?<![\w_])_(?=[^\s_])(?<slanted>[^_\n]+?)(?<=\S)_(?!\w)`,
  ].join('|'),
  'gu',
);
const DEEPEST = 6;

function renderInline(text: string, dialect: Dialect, depth = 0): string {
  if (depth > DEEPEST) return dialect.text(text);
  let made = '';
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    made += dialect.text(text.slice(last, match.index)) + renderMatch(match.groups ?? {}, dialect, depth + 1);
    last = match.index + match[0].length;
  }
  return made + dialect.text(text.slice(last));
}

function renderMatch(found: Readonly<Record<string, string | undefined>>, dialect: Dialect, depth: number): string {
  if (found['escaped'] !== undefined) return dialect.literal(found['escaped']);
  if (found['code'] !== undefined) return dialect.code(found['code'].trim() || found['code']);
  if (found['url'] !== undefined) return renderLink(found['label'] ?? '', found['url'], dialect);
  const bold = found['bold'] ?? found['strong'];
  if (bold !== undefined) return dialect.bold(renderInline(bold, dialect, depth));
  if (found['struck'] !== undefined) return dialect.struck(renderInline(found['struck'], dialect, depth));
  return dialect.italic(renderInline(found['italic'] ?? found['slanted'] ?? '', dialect, depth));
}

/** Only web addresses become links, and only if the text does not claim another host. */
function renderLink(label: string, target: string, dialect: Dialect): string {
  const url = URL.parse(target);
  const shown = label.trim() || target;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username || url.password) return dialect.text(`${shown} (${url?.host || target})`);
  const claimed = [...shown.matchAll(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu)].map(([host]) => host.toLowerCase());
  const isHonest = claimed.every((host) => url.host === host || url.host === `www.${host}` || shown === target);
  return isHonest ? dialect.link(url.href, shown) : dialect.text(`${shown} (${url.href})`);
}
