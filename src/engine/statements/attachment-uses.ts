import { storedHashesOf } from '#domain/thread/attachment.ts';
import type { SaidIn } from './said-texts.ts';

/** Which item uses which attachment, as array parameters: entry, user, id, hash. */
export function useParameters(batch: readonly SaidIn[]): unknown[] {
  const rows = batch.flatMap(({ userId, items }, index) =>
    items.flatMap((item) => storedHashesOf(item).map((sha256) => ({ entry: index + 1, userId, id: item.id, sha256 }))),
  );
  return [
    rows.map(({ entry }) => entry),
    rows.map(({ userId }) => userId),
    rows.map(({ id }) => id),
    rows.map(({ sha256 }) => sha256),
  ];
}

/** A part of a statement that writes items, like `writeTexts`. `thread`: which thread they belong to. */
export function writeUses(before: number, outcomes: readonly string[], thread = 'done.thread_id'): string {
  const [entries, users, ids, hashes] = Array.from({ length: 4 }, (_, n) => `$${before + n + 1}`);
  return `uses as (
    insert into attachment_uses (item_id, sha256, thread_id, user_id)
    select u.id, u.sha256, ${thread}, u.user_id
    from unnest(${entries}::integer[], ${users}::text[], ${ids}::uuid[], ${hashes}::text[]) as u (entry, user_id, id, sha256)
    join done on done.entry = u.entry
    where done.outcome in (${outcomes.map((outcome) => `'${outcome}'`).join(', ')})
    on conflict do nothing)`;
}
