/** How Slack reads a text: links and mentions are in angle brackets, and three characters are escaped. */
export function parseMrkdwn(mrkdwn: string): {
  readonly text: string;
  /** People and groups that are notified. */
  readonly pings: readonly string[];
  readonly links: readonly { readonly url: string; readonly label: string }[];
} {
  const pings: string[] = [];
  const links: { url: string; label: string }[] = [];
  const text = mrkdwn.replaceAll(/<([^<>\n]+)>/g, (_whole, inside: string) => {
    const [target = '', label = ''] = inside.split('|', 2);
    if (/^[@!]/.test(target)) {
      pings.push(target);
      return label || target;
    }
    if (target.startsWith('#')) return label || target;
    links.push({ url: unescape(target), label: unescape(label) });
    return label || target;
  });
  return { text: unescape(text), pings, links };
}

const unescape = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
