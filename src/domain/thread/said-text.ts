import { withoutBlocks } from '../text/first-words.ts';
import { type NewItem, readableText } from './item.ts';

/** What was said in a message, as it is searched. */
export type SaidText = { readonly id: NewItem['id']; readonly role: 'user' | 'assistant'; readonly text: string };

/** A longer text is searched up to here: PostgreSQL refuses to index texts of more than a megabyte. */
const LONGEST = 32_768;

/** The text of a message without control characters, which PostgreSQL can't store or which mark excerpts. */
export function saidTextOf(item: NewItem): SaidText | undefined {
  if (item.type !== 'message' || (item.role !== 'user' && item.role !== 'assistant')) return undefined;
  const text = withoutBlocks(readableText(item.content))
    .slice(0, LONGEST)
    .toWellFormed()
    .replace(/[^\P{Control}\n\t]/gu, ' ')
    .trim();
  return text === '' ? undefined : { id: item.id, role: item.role, text };
}
