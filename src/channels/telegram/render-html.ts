/**
 * Markdown as the HTML that Telegram accepts. Everything is escaped first; only tags made here remain, and they are always closed.
 * A link shows where it leads when its text claims another place.
 */
export function renderHtml(markdown: string): string {
  const lines = markdown.split('\n');
  const made: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#-]{0,20})/.exec(line);
    if (fence) {
      const end = findFenceEnd(lines, index + 1, fence[1] ?? '');
      made.push(renderCode(lines.slice(index + 1, end).join('\n'), fence[2] ?? ''));
      index = end + 1;
      continue;
    }
    const block = blockAt(lines, index);
    if (block) {
      made.push(block.html);
      index = block.next;
      continue;
    }
    made.push(renderLine(line));
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

const renderCode = (text: string, language: string) =>
  language === ''
    ? `<pre>${escape(text)}</pre>`
    : `<pre><code class="language-${escape(language)}">${escape(text)}</code></pre>`;

/** Quotes and tables, which take several lines. */
function blockAt(lines: readonly string[], from: number): { readonly html: string; readonly next: number } | undefined {
  const run = (matches: RegExp) => {
    let next = from;
    while (matches.test(lines[next] ?? '')) next++;
    return next;
  };
  const quoteEnd = run(/^ {0,3}>/);
  if (quoteEnd > from) {
    const inside = lines.slice(from, quoteEnd).map((line) => renderLine(line.replace(/^ {0,3}> ?/, '')));
    return { html: `<blockquote>${inside.join('\n')}</blockquote>`, next: quoteEnd };
  }
  const tableEnd = run(/^\s*\|.*\|\s*$/);
  if (tableEnd - from >= 2) return { html: renderCode(lines.slice(from, tableEnd).join('\n'), ''), next: tableEnd };
  return undefined;
}

function renderLine(line: string): string {
  const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
  if (heading !== undefined) return `<b>${renderInline(heading)}</b>`;
  if (/^ {0,3}([-*_])( *\1){2,}\s*$/.test(line)) return '———';
  const [, indent = '', rest] = /^(\s*)[-*+]\s+(.*)$/.exec(line) ?? [];
  return rest === undefined ? renderInline(line) : `${indent}• ${renderInline(rest)}`;
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

function renderInline(text: string, depth = 0): string {
  if (depth > DEEPEST) return escape(text);
  let html = '';
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    html += renderText(text.slice(last, match.index)) + renderMatch(match.groups ?? {}, depth + 1);
    last = match.index + match[0].length;
  }
  return html + renderText(text.slice(last));
}

function renderMatch(found: Readonly<Record<string, string | undefined>>, depth: number): string {
  if (found['escaped'] !== undefined) return escape(found['escaped']);
  if (found['code'] !== undefined) return `<code>${escape(found['code'].trim() || found['code'])}</code>`;
  if (found['url'] !== undefined) return renderLink(found['label'] ?? '', found['url']);
  const bold = found['bold'] ?? found['strong'];
  if (bold !== undefined) return `<b>${renderInline(bold, depth)}</b>`;
  if (found['struck'] !== undefined) return `<s>${renderInline(found['struck'], depth)}</s>`;
  return `<i>${renderInline(found['italic'] ?? found['slanted'] ?? '', depth)}</i>`;
}

/** Only web addresses become links, and only if the text does not claim another host. */
function renderLink(label: string, target: string): string {
  const url = URL.parse(target);
  const shown = label.trim() || target;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username || url.password) return renderText(`${shown} (${url?.host || target})`);
  const claimed = [...shown.matchAll(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu)].map(([host]) => host.toLowerCase());
  const isHonest = claimed.every((host) => url.host === host || url.host === `www.${host}` || shown === target);
  return isHonest ? `<a href="${escape(url.href)}">${renderText(shown)}</a>` : renderText(`${shown} (${url.href})`);
}

/** A joiner in mentions keeps an answer from calling people of a group. */
const renderText = (text: string) => escape(text.replaceAll(/(^|[^\w/])@(?=\w{4})/g, '$1@\u2060'));

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
