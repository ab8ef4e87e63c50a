import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { SpendingLimits, Spent } from '#domain/spending.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

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

/** The limits of a user that has their own. */
export function findBudget(trx: OwnedTransaction, owner: Owner): Promise<SpendingLimits | undefined> {
  return trx
    .selectFrom('budgets')
    .select(['usdPerDay', sql<number | null>`tokens_per_day::float8`.as('tokensPerDay')])
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** What the user's model calls of today (UTC) add up to. */
export async function findSpentToday(trx: OwnedTransaction, owner: Owner): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select coalesce(sum(input_tokens + output_tokens), 0)::float8 as tokens, coalesce(sum(cost_usd), 0) as usd
    from usage_days where user_id = ${owner.userId} and day = (now() at time zone 'utc')::date`.execute(trx);
  return rows[0] ?? { tokens: 0, usd: 0 };
}

export type Budget = SpendingLimits & { readonly userId: UserId };

/** The limits of users that have their own. */
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
