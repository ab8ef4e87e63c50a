/** More links than this are not collected from one text: the others count as not shown. */
const MOST_LINKS = 500;

/** The web addresses in a text, normalized for comparison. */
export function linksIn(text: string): string[] {
  const found = new Set<string>();
  for (const [written] of text.matchAll(ADDRESS)) {
    for (const candidate of candidatesOf(written)) {
      const url = URL.parse(candidate);
      if (url && !url.username && !url.password) found.add(canonicalAddress(url));
    }
    if (found.size >= MOST_LINKS) break;
  }
  return [...found].slice(0, MOST_LINKS);
}

/** The one spelling of an address. The fragment never reaches the host, and `http` is fetched as `https`. */
export function canonicalAddress(url: URL): string {
  const plain = new URL(url);
  plain.hash = '';
  if (plain.protocol === 'http:' && plain.port === '') plain.protocol = 'https:';
  return plain.href;
}

const ADDRESS = /https?:\/\/[^\s"'<>[\]{}|\\^`]{1,2000}/gi;

/** An address in a sentence may be followed by its punctuation, or stand in parentheses. */
function candidatesOf(written: string): string[] {
  const bare = withoutPunctuation(written);
  return [written, bare, withoutPunctuation(untilUnbalanced(written)), written.split('(', 1)[0] ?? ''];
}

function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?'.includes(text[end - 1] ?? ' ')) end--;
  return text.slice(0, end);
}

/** The text before the first parenthesis that closes nothing. */
function untilUnbalanced(text: string): string {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') open++;
    if (text[at] === ')' && open-- === 0) return text.slice(0, at);
  }
  return text;
}
