import type { TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { RequestTry } from '#domain/thread/turn.ts';

type Tried = { readonly turnId: TurnId; readonly userId: UserId; readonly tried?: RequestTry | undefined };

/** The tries of a batch as array parameters: entry, user, digest. */
export function tryParameters(batch: readonly Tried[]): unknown[] {
  const rows = batch.flatMap(({ userId, tried }, index) => (tried ? [{ ...tried, userId, entry: index + 1 }] : []));
  return [rows.map(({ entry }) => entry), rows.map(({ userId }) => userId), rows.map(({ digest }) => digest)];
}

/** A part of the statement that accepts turns, like `writeTexts`. */
export function writeTries(before: number, outcomes: readonly string[]): string {
  const [entries, users, digests] = Array.from({ length: 3 }, (_, n) => `$${before + n + 1}`);
  return `tries as (
    insert into request_tries (turn_id, user_id, digest)
    select done.turn_id, t.user_id, t.digest
    from unnest(${entries}::integer[], ${users}::text[], ${digests}::text[]) as t (entry, user_id, digest)
    join done on done.entry = t.entry
    where done.outcome in (${outcomes.map((outcome) => `'${outcome}'`).join(', ')})
    on conflict do nothing)`;
}
