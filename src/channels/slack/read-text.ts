/** What a person has typed, from Slack's markup. Mentions of `self` are left out. */
export function readText(given: string, self: string): string {
  return given
    .replaceAll(/<([^<>]*)>/g, (_whole, inside: string) => readMarkup(inside, self))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

export const mentions = (given: string, self: string): boolean => new RegExp(`<@${self}(?:\\|[^<>]*)?>`).test(given);

/** `@U1`, `#C1|name`, `!here`, or an address with or without a label. */
function readMarkup(inside: string, self: string): string {
  const [target = '', label = ''] = inside.split('|', 2);
  if (target === `@${self}`) return '';
  if (target.startsWith('@')) return label ? `@${label}` : target;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return label || `@${target.slice(1).split('^')[0]}`;
  const address = target.replace(/^(?:mailto|tel):/, '');
  return label && label !== address && label !== target ? `${label} (${address})` : address;
}
