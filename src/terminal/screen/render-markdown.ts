import { Markdown, type MarkdownTheme } from '@earendil-works/pi-tui';
import { alignTables } from './align-tables.ts';
import { highlightCode } from './code/highlight-code.ts';
import type { Colours } from './colours.ts';
import { printable } from './printable.ts';
import { settledPieces } from './streamed-markdown.ts';

export type RenderMarkdown = (text: string, width: number, streaming: boolean) => string[];

/** Markdown as lines. While a text still grows, the pieces that can't change any more are laid out only once. */
export function createMarkdown(colours: Colours): RenderMarkdown {
  const theme = themeOf(colours);
  const lay = (text: string, width: number) =>
    alignTables(text, new Markdown(text, 0, 0, theme).render(width))
      .filter((line) => !line.includes(NO_FENCE))
      .map((line) => line.trimEnd());
  let kept = new Map<string, readonly string[]>();

  return (text, width, streaming) => {
    const shown = printable(text);
    if (!streaming) return lay(shown, width);

    const next = new Map<string, readonly string[]>();
    const pieces = settledPieces(shown);
    const lines = pieces.flatMap((piece, index) => {
      const key = `${width} ${piece}`;
      const laid = kept.get(key) ?? lay(piece, width);
      if (index < pieces.length - 1) next.set(key, laid);
      return index < pieces.length - 1 ? [...laid, ''] : laid;
    });
    kept = next;
    return lines;
  };
}

/** Code has its own colours and indent; only the language of a fence is shown. */
const NO_FENCE = '\u0000fence';

function themeOf(colours: Colours): MarkdownTheme {
  const { bold, faint, code, underline } = colours;
  return {
    heading: bold,
    link: underline,
    linkUrl: faint,
    code,
    codeBlock: code,
    highlightCode: (text, info = '') => highlightCode(text, info, colours),
    codeBlockBorder: (fence) => (fence === '```' ? NO_FENCE : faint(fence.slice(3))),
    quote: colours.italic,
    quoteBorder: faint,
    hr: faint,
    listBullet: faint,
    bold,
    italic: colours.italic,
    strikethrough: colours.struck,
    underline,
  };
}
