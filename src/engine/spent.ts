import type { UserId } from '#domain/principal.ts';
import type { Spent } from '#domain/spending.ts';
import type { EnginePool } from './engine-connection.ts';

/** What each of these users has spent today. */
export async function findSpent(pool: EnginePool, users: readonly UserId[]): Promise<Spent[]> {
  const { rows } = await pool.query<Spent & { userId: UserId }>(SPENT, [[...new Set(users)]]);
  const found = new Map(rows.map(({ userId, tokens, usd }) => [userId, { tokens, usd }]));
  return users.map((user) => found.get(user) ?? { tokens: 0, usd: 0 });
}

const SPENT = `
  select user_id as "userId", sum(input_tokens + output_tokens)::float8 as tokens, sum(cost_usd) as usd
  from usage_days where user_id = any($1::text[]) and day = (now() at time zone 'utc')::date
  group by user_id`;
