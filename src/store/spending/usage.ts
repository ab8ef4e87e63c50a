import { sql } from 'kysely';
import type { Scope, UserId } from '#domain/principal.ts';
import type { OwnedTransaction } from '../connection.ts';
import { userOf } from '../scope.ts';

/** The usage of one model by one user on one day, in UTC. */
export type DayUsage = {
  readonly day: string;
  readonly userId: UserId;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly errors: number;
  /** How many calls had no known price and are missing from the cost. */
  readonly unpricedCalls: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly milliseconds: number;
};

/** The usage of `owner` on the last `days` days, today included. */
export async function listUsage(trx: OwnedTransaction, owner: Scope, days: number): Promise<readonly DayUsage[]> {
  const { rows } = await sql<DayUsage>`
    select to_char(day, 'YYYY-MM-DD') as day, user_id, provider, model, sum(calls)::float8 as calls,
      sum(errors)::float8 as errors, sum(unpriced_calls)::float8 as unpriced_calls,
      sum(input_tokens)::float8 as input_tokens, sum(cached_input_tokens)::float8 as cached_input_tokens,
      sum(output_tokens)::float8 as output_tokens, sum(cost_usd) as cost_usd, sum(milliseconds)::float8 as milliseconds
    from usage_days
    where day > (now() at time zone 'utc')::date - ${days}::integer
      and (${owner === 'everyone'} or user_id = ${userOf(owner) ?? ''})
    group by usage_days.day, user_id, provider, model
    order by usage_days.day desc, user_id, provider, model`.execute(trx);
  return rows;
}
