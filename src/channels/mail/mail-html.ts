import { type Dialect, renderMarkdown } from '../chat-text/render-markdown.ts';

/** Markdown as simple HTML: no pictures, no styles from the text, and links that show where they lead. */
export const renderMailHtml = (markdown: string): string =>
  `<div style="white-space:pre-wrap">${renderMarkdown(markdown, HTML)}</div>`;

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const HTML: Dialect = {
  text: escape,
  literal: escape,
  code: (text) => `<code>${escape(text)}</code>`,
  block: (text) => `<pre>${escape(text)}</pre>`,
  quote: (lines) => `<blockquote>${lines.join('\n')}</blockquote>`,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  struck: (inner) => `<s>${inner}</s>`,
  link: (href, label) => `<a href="${escape(href)}">${escape(label)}</a>`,
};
