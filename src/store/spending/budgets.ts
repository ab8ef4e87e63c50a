import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { SpendingLimits } from '#domain/spending.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction } from '../connection.ts';

/** Gives a user limits of its own in place of everybody's. Only the operator may, and row-level security knows it. */
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

/** Of these users, those who have limits of their own. */
export function listBudgets(trx: OwnedTransaction, userIds: readonly UserId[]): Promise<Budget[]> {
  if (userIds.length === 0) return Promise.resolve([]);
  return trx
    .selectFrom('budgets')
    .select(['userId', 'usdPerDay', sql<number | null>`tokens_per_day::float8`.as('tokensPerDay')])
    .where('userId', 'in', userIds)
    .execute();
}

/** From now on everybody's limits hold for the user again. */
export async function deleteBudget(trx: Audited<OwnedTransaction>, userId: UserId): Promise<void> {
  await trx.deleteFrom('budgets').where('userId', '=', userId).execute();
}
