import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { SpendingLimits } from '#domain/spending.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction } from '../connection.ts';

/** Sets a user's limits, which replace the default ones. Only the operator may do so; row-level security enforces it. */
export async function putBudget(trx: Audited<OwnedTransaction>, userId: UserId, limits: SpendingLimits): Promise<void> {
  const { tokensPerDay, usdPerDay } = limits;
  await trx
    .insertInto('budgets')
    .values({ userId, tokensPerDay, usdPerDay })
    .onConflict((conflict) =>
      conflict.column('userId').doUpdateSet({ tokensPerDay, usdPerDay, updatedAt: sql<Date>`now()` }),
    )
    .execute();
}

export type Budget = SpendingLimits & { readonly userId: UserId };

/** The limits of those users that have their own. */
export function listBudgets(trx: OwnedTransaction, userIds: readonly UserId[]): Promise<Budget[]> {
  if (userIds.length === 0) return Promise.resolve([]);
  return trx
    .selectFrom('budgets')
    .select(['userId', 'usdPerDay', sql<number | null>`tokens_per_day::float8`.as('tokensPerDay')])
    .where('userId', 'in', userIds)
    .execute();
}

/** Returns the user to the default limits. */
export async function deleteBudget(trx: Audited<OwnedTransaction>, userId: UserId): Promise<void> {
  await trx.deleteFrom('budgets').where('userId', '=', userId).execute();
}
