import type { TurnId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';

/**
 * The statement that counts model calls. `calls` names a relation with `CALL_COLUMNS`, `fence` one that tells whose
 * turns may be counted. The rows are taken in order, so that two replicas never wait for each other in a circle.
 */
export const countCalls = (calls: string, fence: string) => `
  insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
    input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
  select fence.user_id, (now() at time zone 'utc')::date, call.provider, call.model, fence.part,
    count(*), count(*) filter (where call.failed), count(*) filter (where call.cost_usd is null),
    sum(call.input_tokens), sum(call.cached_input_tokens), sum(call.output_tokens),
    coalesce(sum(call.cost_usd), 0), sum(call.milliseconds)
  from ${calls} as call (${CALL_COLUMNS}) join ${fence} as fence on fence.id = call.turn_id
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (user_id, day, provider, model, part) do update set
    calls = present.calls + excluded.calls,
    errors = present.errors + excluded.errors,
    unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
    input_tokens = present.input_tokens + excluded.input_tokens,
    cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = present.output_tokens + excluded.output_tokens,
    cost_usd = present.cost_usd + excluded.cost_usd,
    milliseconds = present.milliseconds + excluded.milliseconds`;

const CALL_COLUMNS =
  'turn_id, provider, model, failed, input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds';

/** The share of the replica that runs a turn. */
export const PART = 'get_byte(uuid_send(turns.runner), 15) % 8';

/** The calls as a relation, their columns being the parameters from `first` on. */
export function unnestCalls(first: number): string {
  const types = ['uuid', 'text', 'text', 'boolean', 'bigint', 'bigint', 'bigint', 'float8', 'bigint'];
  return `unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(', ')})`;
}

export type TurnCall = { readonly turnId: TurnId; readonly call: ModelCall };

export function callParameters(calls: readonly TurnCall[]): unknown[] {
  return [
    calls.map(({ turnId }) => turnId),
    calls.map(({ call }) => call.provider),
    calls.map(({ call }) => call.model),
    calls.map(({ call }) => call.failed),
    calls.map(({ call }) => call.usage.inputTokens),
    calls.map(({ call }) => call.usage.cachedInputTokens),
    calls.map(({ call }) => call.usage.outputTokens),
    calls.map(({ call: { usage } }) => usage.cost && usage.cost.inputUsd + usage.cost.outputUsd),
    calls.map(({ call }) => Math.round(call.milliseconds)),
  ];
}
