import type { ModelCall } from '#domain/spending.ts';
import type { Summary } from '#domain/summary.ts';
import type { Turn } from '#domain/turn.ts';
import type { EnginePool } from './engine-connection.ts';
import { callParameters, countCalls, PART, unnestCalls } from './ledger.ts';

/** Writes a summary and counts the call that made it, if the turn's attempt is still the one that runs. */
export async function writeSummary(
  pool: EnginePool,
  turn: Turn,
  { throughSeq, throughPosition, text }: Summary,
  call: ModelCall,
): Promise<boolean> {
  const { rows } = await pool.query(WRITE, [
    turn.id,
    turn.attempt,
    throughSeq,
    throughPosition,
    text,
    JSON.stringify(call.usage),
    ...callParameters([{ turnId: turn.id, call }]),
  ]);
  return rows.length > 0;
}

// Written twice, because the first answer was lost, it is counted once.
const WRITE = `
  with fence as (
    select id, thread_id, seq, user_id, ${PART} as part from turns
    where id = $1::uuid and attempt = $2::integer and status = 'running' for no key update
  ), written as (
    insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage)
    select thread_id, $3::integer, $4::integer, user_id, seq, id, $5::text, ($8::text[])[1], ($9::text[])[1], $6::json
    from fence
    on conflict do nothing
    returning turn_id
  ), counted as (
    ${countCalls(unnestCalls(7), '(select fence.* from fence join written on written.turn_id = fence.id)')}
  )
  select id from fence`;
