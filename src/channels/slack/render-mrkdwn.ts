import { type Dialect, renderMarkdown } from '../chat-text/render-markdown.ts';
import { splitMarkdown } from '../chat-text/split-markdown.ts';

/** Below the limits of a section (3,000) and of an edited message (4,000), with room for the mark of a streamed reply. */
const MOST = 2900;
const LEAST = 200;

/** Markdown in Slack's mrkdwn. */
export const renderMrkdwn = (markdown: string): string => renderMarkdown(markdown, MRKDWN);

/** Cuts Markdown into messages. Escaping makes some texts much longer, so those are cut into smaller pieces. */
export function splitForSlack(markdown: string, most = 2700): string[] {
  return splitMarkdown(markdown, most).flatMap((piece) =>
    renderMrkdwn(piece).length <= MOST || most < LEAST ? [piece] : splitForSlack(piece, most / 2),
  );
}

/** Mentions, commands and links need one of these three characters. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A joiner in group mentions keeps a client from reading them as such. */
const renderText = (text: string) => escapeMrkdwn(text.replaceAll(/@(?=(?:channel|here|everyone)\b)/gi, '@\u2060'));

const MRKDWN: Dialect = {
  text: renderText,
  // mrkdwn has no escapes: a joiner keeps the character from opening or closing anything.
  literal: (character) => `${/[*_~`]/.test(character) ? '\u2060' : ''}${escapeMrkdwn(character)}`,
  // Nothing can be escaped in code, so a similar character replaces the one that would end it.
  code: (text) => `\`${escapeMrkdwn(text.replaceAll('`', '\u02cb'))}\``,
  block: (text) => `\`\`\`\n${escapeMrkdwn(text.replaceAll(/`(?=`)/g, '`\u2060'))}\n\`\`\``,
  quote: (lines) => lines.map((line) => `> ${line}`).join('\n'),
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  struck: (inner) => `~${inner}~`,
  link: (href, label) => `<${escapeMrkdwn(href).replaceAll('|', '%7C')}|${renderText(label)}>`,
};
