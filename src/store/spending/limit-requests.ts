import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { LimitRequest } from '#domain/spending.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Undefined if the user has asked on this day (UTC) already. */
export async function insertLimitRequest(trx: OwnedTransaction, owner: Owner): Promise<LimitRequest | undefined> {
  return trx
    .insertInto('limitRequests')
    .values({ userId: owner.userId })
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ askedAt: sql<Date>`now()`, dismissedAt: null })
        .where(sql<boolean>`limit_requests.asked_at < date_trunc('day', now(), 'UTC')`),
    )
    .returning(['userId', 'askedAt', 'dismissedAt'])
    .executeTakeFirst();
}

/** What the user has asked for today (UTC). */
export function findLimitRequest(trx: OwnedTransaction, owner: Owner): Promise<LimitRequest | undefined> {
  return trx
    .selectFrom('limitRequests')
    .select(['userId', 'askedAt', 'dismissedAt'])
    .where('userId', '=', owner.userId)
    .where(sql<boolean>`asked_at >= date_trunc('day', now(), 'UTC')`)
    .executeTakeFirst();
}

/** The requests that no operator has answered, oldest first. Only the operator sees them all; row-level security enforces it. */
export function listOpenLimitRequests(trx: OwnedTransaction): Promise<LimitRequest[]> {
  return trx
    .selectFrom('limitRequests')
    .select(['userId', 'askedAt', 'dismissedAt'])
    .where('dismissedAt', 'is', null)
    .orderBy('askedAt')
    .execute();
}

/** Whether there was an open request. */
export async function dismissLimitRequest(trx: OwnedTransaction, userId: UserId): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('limitRequests')
    .set({ dismissedAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('dismissedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

export async function deleteLimitRequest(trx: OwnedTransaction, userId: UserId): Promise<void> {
  await trx.deleteFrom('limitRequests').where('userId', '=', userId).execute();
}
