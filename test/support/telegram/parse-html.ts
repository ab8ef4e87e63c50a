const TAGS = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'a', 'code', 'pre', 'blockquote', 'tg-spoiler']);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The visible text, as Telegram parses HTML: known tags only, each closed in order, `&` and `<` escaped. */
export function parseHtml(html: string): { readonly text: string } | { readonly problem: string } {
  const open: string[] = [];
  let text = '';
  for (let at = 0; at < html.length; ) {
    const rest = html.slice(at);
    if (rest.startsWith('<')) {
      const [whole, slash, name = ''] = /^<(\/?)([a-z-]+)(?: (?:href|class)="[^"<>]*")?>/.exec(rest) ?? [];
      if (!whole) return { problem: `unsupported start tag at byte offset ${at}` };
      if (!TAGS.has(name)) return { problem: `unsupported start tag "${name}" at byte offset ${at}` };
      if (!slash) open.push(name);
      else if (open.pop() !== name) return { problem: `unmatched end tag at byte offset ${at}` };
      at += whole.length;
      continue;
    }
    const [escaped, entity = ''] = /^&(\w+);/.exec(rest) ?? [];
    if (escaped && ENTITIES[entity]) {
      text += ENTITIES[entity];
      at += escaped.length;
      continue;
    }
    text += rest[0];
    at++;
  }
  return open.length > 0 ? { problem: `can't find end tag corresponding to start tag ${open.at(-1)}` } : { text };
}
