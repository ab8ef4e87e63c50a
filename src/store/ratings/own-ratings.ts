import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Rating } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Replaces the earlier one. Undefined if the owner has no such turn. */
export async function putRating(
  trx: OwnedTransaction,
  owner: Owner,
  { turnId, rating, reason }: Pick<Rating, 'turnId' | 'rating' | 'reason'>,
): Promise<Rating | undefined> {
  const { rows } = await sql<Rating>`
    insert into ratings (turn_id, thread_id, user_id, rating, reason)
    select id, thread_id, user_id, ${rating}::text, ${reason}::text from turns where id = ${turnId} and user_id = ${owner.userId}
    on conflict (turn_id) do update set rating = excluded.rating, reason = excluded.reason, updated_at = now()
    returning turn_id, rating, reason, updated_at`.execute(trx);
  return rows[0];
}

/** Returns whether there was one. */
export async function deleteRating(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('ratings')
    .where('turnId', '=', turnId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listRatings(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<Rating[]> {
  return trx
    .selectFrom('ratings')
    .select(['turnId', 'rating', 'reason', 'updatedAt'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .orderBy('turnId')
    .execute();
}
