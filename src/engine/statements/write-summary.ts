import type { ReplicaId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';

/** Writes a summary and counts the model call that made it, if the turn's attempt still runs here. Sent twice, it is counted once. */
export async function writeSummary(
  pool: EnginePool,
  self: ReplicaId,
  turn: Turn,
  { throughSeq, throughPosition, text, reads }: Summary,
  { provider, model, usage, milliseconds }: ModelCall,
): Promise<boolean> {
  const { rows } = await pool.query(WRITE, [
    turn.id,
    turn.attempt,
    self,
    throughSeq,
    throughPosition,
    text,
    provider,
    model,
    JSON.stringify(usage),
    usage.inputTokens,
    usage.cachedInputTokens,
    usage.outputTokens,
    usage.cost && usage.cost.inputUsd + usage.cost.outputUsd,
    Math.round(milliseconds),
    JSON.stringify(reads),
  ]);
  return rows.length > 0;
}

const WRITE = `
  with fence as (
    select id, thread_id, seq, user_id from turns
    where id = $1::uuid and attempt = $2::integer and runner = $3::uuid and status = 'running' for no key update
  ), written as (
    insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage, reads)
    select thread_id, $4::integer, $5::integer, user_id, seq, id, $6::text, $7::text, $8::text, $9::json, $15::json from fence
    on conflict do nothing
    returning user_id
  ), counted as (
    insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
      input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
    select user_id, (now() at time zone 'utc')::date, $7::text, $8::text, get_byte(uuid_send($3::uuid), 15) % 8, 1, 0,
      ($13::float8 is null)::integer, $10::bigint, $11::bigint, $12::bigint, coalesce($13::float8, 0), $14::bigint
    from written
    on conflict (user_id, day, provider, model, part) do update set
      calls = present.calls + 1, unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
      input_tokens = present.input_tokens + excluded.input_tokens,
      cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = present.output_tokens + excluded.output_tokens,
      cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds
  )
  select id from fence`;
