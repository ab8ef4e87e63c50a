import { type NewItem, textOf } from './item.ts';

const LONGEST = 120;

/** The beginning of what the first user message says, and of the newest one: what a list shows of a thread. */
export function firstWords(items: readonly NewItem[]): { readonly opening: string; readonly preview: string } {
  const said = items.flatMap((item) =>
    item.type === 'message' && item.role === 'user' ? [shorten(textOf(item.content))] : [],
  );
  return { opening: said.find((words) => words !== '') ?? '', preview: said.findLast((words) => words !== '') ?? '' };
}

/** The blocks ahead of a message are not what its author said. A column of texts can't hold what is no text. */
function shorten(message: string): string {
  const words = message
    .slice(0, 100_000)
    .replace(BLOCKS, '')
    .toWellFormed()
    .replace(/[\s\p{Control}]+/gu, ' ')
    .trim();
  if (words.length <= LONGEST) return words;
  const cut = words
    .slice(0, LONGEST)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  const space = cut.lastIndexOf(' ');
  return `${space > LONGEST / 2 ? cut.slice(0, space) : cut}…`;
}

const BLOCKS = /^(?:<(instructions|user-context)>\n[^]*?\n<\/\1>\n\n)+/;
