import type { Page, Passage } from '#domain/workspace/document.ts';

/** About 400 tokens, counted as the prompts are: four bytes each. */
const PASSAGE_BYTES = 1600;
/** A shorter end of a page is part of the passage before it. */
const SHORT_BYTES = 300;

/** Splits pages into passages, which begin and end at a paragraph, a line, a sentence or a word. Nothing is left out or said twice. */
export function splitPages(pages: readonly Page[]): Passage[] {
  return pages.flatMap((page, index) => splitPage(page, index + 1));
}

function splitPage({ label, blocks }: Page, page: number): Passage[] {
  const passages: Passage[] = [];
  let current: { heading: string; texts: string[]; bytes: number } | undefined;
  const end = () => {
    if (current) passages.push({ page, label, heading: current.heading, text: current.texts.join('\n\n') });
    current = undefined;
  };
  for (const { heading, text } of blocks)
    for (const piece of piecesOf(text)) {
      const bytes = Buffer.byteLength(piece);
      const isFull = current && current.bytes + bytes > PASSAGE_BYTES && current.bytes > SHORT_BYTES;
      const isOther = current && current.heading !== heading && current.bytes > SHORT_BYTES;
      if (isFull || isOther) end();
      current ??= { heading, texts: [], bytes: 0 };
      if (heading.length > current.heading.length) current.heading = heading;
      current.texts.push(piece);
      current.bytes += bytes;
    }
  end();
  return passages;
}

/** A text in pieces that are short enough, cut at the best place there is. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (Buffer.byteLength(rest.slice(0, PASSAGE_BYTES + 1)) > PASSAGE_BYTES) {
    const most = charsIn(rest, PASSAGE_BYTES);
    const at = cutAt(rest.slice(0, most));
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trimStart();
  }
  return rest.trim() === '' ? pieces : [...pieces, rest.trim()];
}

/** How many characters fit in so many bytes. */
function charsIn(text: string, bytes: number): number {
  let left = bytes;
  let chars = 0;
  for (const char of text) {
    left -= Buffer.byteLength(char);
    if (left < 0) return chars;
    chars += char.length;
  }
  return chars;
}

const LATE = 0.5;

function cutAt(text: string): number {
  for (const end of ['\n\n', '\n', '. ', '。', ' ']) {
    const at = text.lastIndexOf(end);
    if (at > text.length * LATE) return at + end.length;
  }
  return text.length;
}
