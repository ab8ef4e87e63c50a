import type { ReplicaId } from '#domain/ids.ts';
import { callsJson, type ModelCall } from '#domain/spending.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';

/**
 * Writes a summary and counts the model call that made it, if the turn's attempt still runs here. Sent twice, it is counted once.
 * `wasAsked`: the thread's owner has asked for it, and no longer waits for it.
 */
export async function writeSummary(
  pool: EnginePool,
  self: ReplicaId,
  turn: Turn,
  { throughSeq, throughPosition, text, reads }: Summary,
  call: ModelCall,
  wasAsked: boolean,
): Promise<boolean> {
  const { rows } = await pool.query(WRITE, [
    turn.id,
    turn.attempt,
    self,
    throughSeq,
    throughPosition,
    text,
    call.provider,
    call.model,
    JSON.stringify(call.usage),
    JSON.stringify(reads),
    callsJson([call]),
    wasAsked ? turn.threadId : null,
  ]);
  return rows.length > 0;
}

// `asked` is read first, because a thread is always locked before its turns.
const WRITE = `
  with asked as (
    select id from threads where id = $12::uuid for no key update
  ), fence as (
    select id, thread_id, seq, user_id from turns
    where id = $1::uuid and attempt = $2::integer and runner = $3::uuid and status = 'running'
      and (select count(*) from asked) >= 0 for no key update
  ), done as (
    update threads set compact_asked_at = null where id in (select id from asked) and id in (select thread_id from fence)
  ), written as (
    insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage, reads)
    select thread_id, $4::integer, $5::integer, user_id, seq, id, $6::text, $7::text, $8::text, $9::json, $10::json from fence
    on conflict do nothing
    returning user_id
  )
  select id, (select count_calls($3::uuid, array[user_id], array[$11::json]) from written) from fence`;
