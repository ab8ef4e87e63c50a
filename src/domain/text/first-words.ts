import { type NewItem, readableText } from '../thread/item.ts';
import { cut } from './cut.ts';

const LONGEST = 120;

/** The beginnings of the first and of the newest user message: lists show them for a thread. */
export function firstWords(items: readonly NewItem[]): { readonly opening: string; readonly preview: string } {
  const said = items.flatMap((item) =>
    item.type === 'message' && item.role === 'user' ? [shorten(readableText(item.content))] : [],
  );
  return { opening: said.find((words) => words !== '') ?? '', preview: said.findLast((words) => words !== '') ?? '' };
}

/** PostgreSQL can't store text that is not well formed. */
function shorten(message: string): string {
  const words = withoutBlocks(message.slice(0, 100_000))
    .toWellFormed()
    .replace(/[\s\p{Control}]+/gu, ' ')
    .trim();
  if (words.length <= LONGEST) return words;
  const space = words.lastIndexOf(' ', LONGEST);
  return space > LONGEST / 2 ? `${words.slice(0, space)}…` : cut(words, LONGEST + 1);
}

/** The blocks ahead of a message are not its author's words. */
export const withoutBlocks = (message: string): string => message.replace(BLOCKS, '');

const BLOCKS = /^(?:<(instructions|user-context)>\n[^]*?\n<\/\1>\n\n)+/;
