import { NotFound } from '#domain/errors.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { ListedRating, Rating } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listAllRatings } from '#store/ratings/all-ratings.ts';
import { deleteRating, listRatings, putRating } from '#store/ratings/own-ratings.ts';
import { findThread } from '#store/threads/thread-listings.ts';

export type Ratings = ReturnType<typeof createRatings>;

/** What people think of answers. They rate their own; operators see the ratings of all, without the answers. */
export function createRatings(db: Database, { system }: Pick<Engine, 'system'>) {
  return {
    async put(owner: Principal, rating: Pick<Rating, 'turnId' | 'rating' | 'reason'>): Promise<Rating> {
      const put = await withOwner(db, owner, (trx) => putRating(trx, owner, rating));
      if (!put) throw new NotFound('This turn does not exist.');
      return put;
    },

    async remove(owner: Principal, turnId: TurnId): Promise<void> {
      if (!(await withOwner(db, owner, (trx) => deleteRating(trx, owner, turnId))))
        throw new NotFound('This turn has no rating.');
    },

    /** Of one thread. */
    list: (owner: Principal, threadId: ThreadId): Promise<Rating[]> =>
      withOwner(db, owner, async (trx) => {
        if (!(await findThread(trx, owner, threadId))) throw new NotFound('This thread does not exist.');
        return listRatings(trx, owner, threadId);
      }),

    async listAll(actor: Principal, page: Parameters<typeof listAllRatings>[1]): Promise<ListedRating[]> {
      requireOperator(actor);
      return listAllRatings(system, page);
    },
  };
}
