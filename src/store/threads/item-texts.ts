import { type RawBuilder, sql } from 'kysely';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** A message that contains all words that were searched for. */
export type FoundText = {
  readonly itemId: ItemId;
  readonly threadId: ThreadId;
  /** Of the thread. */
  readonly title: string;
  readonly role: 'user' | 'assistant';
  /** The text around the matches, in pieces. */
  readonly excerpt: readonly { readonly text: string; readonly match: boolean }[];
  readonly createdAt: Date;
};

/** They surround each match in an excerpt. No stored text contains control characters. */
const MATCH_START = '\u0001';
const MATCH_END = '\u0002';

/** The owner's shown messages with words that begin like these, newest first; without those of temporary threads. */
export async function findSaid(
  trx: OwnedTransaction,
  owner: Owner,
  words: readonly string[],
  limit: number,
): Promise<FoundText[]> {
  const rows = await runStatement<FoundRow>(trx, FIND, [owner.userId, toQuery(words), limit]);
  return rows.map(({ excerpt, ...found }) => ({ ...found, excerpt: toPieces(excerpt) }));
}

/** Selects the ids of the owner's threads with a shown message that has words which begin like all of these. */
export const threadsThatSay = (owner: Owner, words: readonly string[]): RawBuilder<unknown> => sql`
  select thread_id from item_texts
  where user_id = ${owner.userId} and words @@ to_tsquery('simple', ${toQuery(words)}) and ${sql.raw(IS_SHOWN)}`;

const toQuery = (words: readonly string[]) => words.map((word) => `'${word}':*`).join(' & ');

type FoundRow = Omit<FoundText, 'excerpt'> & { readonly excerpt: string };

function toPieces(excerpt: string): FoundText['excerpt'] {
  const [before = '', ...rest] = excerpt.split(MATCH_START);
  const pieces = rest.flatMap((piece) => {
    const [match = '', after = ''] = piece.split(MATCH_END);
    return [
      { text: match, match: true },
      { text: after, match: false },
    ];
  });
  return [{ text: before, match: false }, ...pieces].filter(({ text }) => text !== '');
}

const IS_SHOWN = `
  not exists (
    select from items join turns on turns.thread_id = items.thread_id and turns.seq = items.turn_seq
    where items.id = item_texts.item_id and turns.hidden)
  and not exists (select from threads where threads.id = item_texts.thread_id and threads.temporary)`;

// The index leads through the owner's messages from the newest one. An index over the words would not be used: row-level
// security has to be checked before an operator that could leak what it compares.
const FIND = `
  select found.item_id as "itemId", found.thread_id as "threadId", coalesce(title, generated_title, opening) as title, found.role,
    found.created_at as "createdAt", ts_headline('simple', found.text, to_tsquery('simple', $2),
      'MinWords=12, MaxWords=28, StartSel=${MATCH_START}, StopSel=${MATCH_END}') as excerpt
  from (
    select item_id, thread_id, role, text, created_at from item_texts
    where user_id = $1 and words @@ to_tsquery('simple', $2) and ${IS_SHOWN}
    order by created_at desc, item_id desc limit $3
  ) as found
  join threads on threads.id = found.thread_id and threads.user_id = $1
  order by found.created_at desc, found.item_id desc`;
