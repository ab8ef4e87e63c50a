import type { ListedRating } from '#domain/thread/turn.ts';
import type { SystemConnection } from '../system/system-connection.ts';

/** The ratings of all users, by turn, the newest first. `before` is the last turn of the previous page. */
export async function listAllRatings(
  system: SystemConnection,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<ListedRating[]> {
  const { rows } = await system.query<ListedRating>(LIST, [before ?? null, limit]);
  return rows;
}

const LIST = `
  select turn_id as "turnId", ratings.thread_id as "threadId", ratings.user_id as "userId", rating, reason,
    ratings.updated_at as "updatedAt", coalesce(title, generated_title) as title,
    (select items.usage ->> 'model' from items
     where items.thread_id = ratings.thread_id and items.turn_seq = turns.seq and items.usage ->> 'model' is not null
     order by position desc limit 1) as model
  from ratings join turns on turns.id = ratings.turn_id join threads on threads.id = ratings.thread_id
  where $1::uuid is null or ratings.turn_id < $1
  order by ratings.turn_id desc limit $2`;
