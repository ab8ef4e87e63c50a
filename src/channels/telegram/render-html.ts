import { type Dialect, renderMarkdown } from '../chat-text/render-markdown.ts';

/** Markdown as the HTML that Telegram accepts. */
export const renderHtml = (markdown: string): string => renderMarkdown(markdown, HTML);

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A joiner in mentions keeps an answer from calling people of a group. */
const renderText = (text: string) => escape(text.replaceAll(/(^|[^\w/])@(?=\w{4})/g, '$1@\u2060'));

const HTML: Dialect = {
  text: renderText,
  literal: escape,
  code: (text) => `<code>${escape(text)}</code>`,
  block: (text, language) =>
    language === ''
      ? `<pre>${escape(text)}</pre>`
      : `<pre><code class="language-${escape(language)}">${escape(text)}</code></pre>`,
  quote: (lines) => `<blockquote>${lines.join('\n')}</blockquote>`,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  struck: (inner) => `<s>${inner}</s>`,
  link: (href, label) => `<a href="${escape(href)}">${renderText(label)}</a>`,
};
