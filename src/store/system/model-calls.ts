import type { ReplicaId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { SystemConnection } from './system-connection.ts';

/** Counts a model call that belongs to no turn. */
export async function countModelCall(
  system: SystemConnection,
  self: ReplicaId,
  userId: UserId,
  { provider, model, usage, milliseconds, failed }: ModelCall,
): Promise<void> {
  await system.query(COUNT, [
    userId,
    provider,
    model,
    self,
    failed,
    usage.inputTokens,
    usage.cachedInputTokens,
    usage.outputTokens,
    usage.cost && usage.cost.inputUsd + usage.cost.outputUsd,
    Math.round(milliseconds),
  ]);
}

const COUNT = `
  insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
    input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
  values ($1, (now() at time zone 'utc')::date, $2, $3, get_byte(uuid_send($4::uuid), 15) % 8, 1, $5::boolean::integer,
    ($9::float8 is null)::integer, $6, $7, $8, coalesce($9::float8, 0), $10)
  on conflict (user_id, day, provider, model, part) do update set
    calls = present.calls + 1, errors = present.errors + excluded.errors,
    unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
    input_tokens = present.input_tokens + excluded.input_tokens,
    cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = present.output_tokens + excluded.output_tokens,
    cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds`;
