import type { ThreadId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { NewItem } from '#domain/thread/item.ts';
import { saidTextOf } from '#domain/thread/said-text.ts';

/** The items of one entry of a batch. */
export type SaidIn = { readonly threadId: ThreadId; readonly userId: UserId; readonly items: readonly NewItem[] };

/** The texts of a batch as array parameters: entry, thread, user, id, role, text. */
export function textParameters(batch: readonly SaidIn[]): unknown[] {
  const rows = batch.flatMap(({ threadId, userId, items }, index) =>
    items.flatMap((item) => {
      const said = saidTextOf(item);
      return said ? [{ ...said, entry: index + 1, threadId, userId }] : [];
    }),
  );
  return [
    rows.map(({ entry }) => entry),
    rows.map(({ threadId }) => threadId),
    rows.map(({ userId }) => userId),
    rows.map(({ id }) => id),
    rows.map(({ role }) => role),
    rows.map(({ text }) => text),
  ];
}

/**
 * A part of the statement that writes items: it writes their texts, too, for the entries of `done` with one of these
 * outcomes. Its parameters begin after `before` others. `thread`: which thread they belong to.
 */
export function writeTexts(before: number, outcomes: readonly string[], thread = 't.thread_id'): string {
  const [entries, threads, users, ids, roles, texts] = Array.from({ length: 6 }, (_, n) => `$${before + n + 1}`);
  return `texts as (
    insert into item_texts (item_id, thread_id, user_id, role, text, words)
    select t.id, ${thread}, t.user_id, t.role, t.text, to_tsvector('simple', t.text)
    from unnest(${entries}::integer[], ${threads}::uuid[], ${users}::text[], ${ids}::uuid[], ${roles}::text[], ${texts}::text[])
      as t (entry, thread_id, user_id, id, role, text)
    join done on done.entry = t.entry
    where done.outcome in (${outcomes.map((outcome) => `'${outcome}'`).join(', ')})
    on conflict do nothing)`;
}
