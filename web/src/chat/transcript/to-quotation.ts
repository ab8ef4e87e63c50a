/** A text as a quotation in Markdown, with room for words below it. */
export function toQuotation(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  return `${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`;
}
