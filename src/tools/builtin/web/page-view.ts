import { cutBytes } from '#domain/text/cut.ts';
import { isPageMark, type NumberedText, startOfPage, withoutMarks } from '#domain/text/numbered-links.ts';

export type Window = {
  readonly from: number;
  /** Instead of `from`: the page to begin with. */
  readonly page?: number | undefined;
  readonly maxBytes: number;
  /** Only paragraphs with these words are wanted. */
  readonly find?: string | undefined;
  /** How many addresses are listed at most. */
  readonly maxLinks: number;
  /** What a call must give to read on, besides `from`. */
  readonly again: string;
};

/** A piece of a page for the model: from a byte on, or the paragraphs with some words; then the addresses of its links. */
export function viewPage({ text, links }: NumberedText, window: Window): string {
  const from = window.page === undefined ? window.from : startOfPage(text, window.page);
  if (from === undefined) return `The text has no page ${window.page}.`;
  const piece =
    window.find === undefined ? sliceOf(withoutMarks(text), { ...window, from }) : foundIn(text, window.find, window);
  return [piece, listLinks(piece, links, window.maxLinks)].filter((part) => part !== '').join('\n\n');
}

function sliceOf(text: string, { from, maxBytes, again }: Window): string {
  const bytes = Buffer.from(text);
  if (from > 0 && from >= bytes.length) return `The text ends at byte ${bytes.length}.`;
  const start = startOfCharacter(bytes, from);
  const { kept } = cutBytes(bytes.toString('utf8', start), maxBytes);
  const end = start + Buffer.byteLength(kept);
  if (end === bytes.length) return kept;
  return `${kept}\n… ${bytes.length - end} more bytes; ask with ${again}from: ${end}, or with find`;
}

function startOfCharacter(bytes: Buffer, from: number): number {
  let start = Math.min(from, bytes.length);
  while (start > 0 && start < bytes.length && (bytes[start] ?? 0) >> 6 === 0b10) start--;
  return start;
}

/** Each paragraph with all the words, its neighbours, and the number of its page. */
function foundIn(text: string, find: string, { maxBytes }: Window): string {
  const words = fold(find).split(' ');
  const paragraphs = text.split('\n').filter((paragraph) => paragraph.trim() !== '');
  const wanted = new Set<number>();
  let head = -1;
  for (const [index, paragraph] of paragraphs.entries()) {
    if (isPageMark(paragraph)) head = index;
    const folded = fold(withoutMarks(paragraph));
    if (words.every((word) => folded.includes(word)))
      for (const near of [head - index, -1, 0, 1]) wanted.add(index + near);
  }
  if (wanted.size === 0)
    return `No paragraph of the text (${Buffer.byteLength(withoutMarks(text))} bytes) has all these words.`;
  const pieces = paragraphs.flatMap((paragraph, index) => {
    if (!wanted.has(index)) return [];
    return wanted.has(index - 1) || index === 0 ? [paragraph] : ['…', paragraph];
  });
  const { kept, note } = cutBytes(withoutMarks(pieces.join('\n')), maxBytes);
  return kept + note;
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The addresses of the numbers in a piece. */
function listLinks(piece: string, links: readonly string[], most: number): string {
  const numbers = new Set([...piece.matchAll(/ \[(\d{1,6})\]/g)].map(([, number]) => Number(number)));
  const lines = [...numbers].flatMap((number) => {
    const address = links[number - 1];
    return address === undefined ? [] : [`[${number}] ${address}`];
  });
  const more = lines.length - most;
  return [...lines.slice(0, most), ...(more > 0 ? [`… ${more} more links; ask with part: "all"`] : [])].join('\n');
}
