import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { MadeSummary } from '#domain/thread/summary.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { lineOf } from './thread-items.ts';

/** The size of what the next turn would read since the newest summary, in bytes of JSON. */
export async function countUnsummarised(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    with newest as (
      select through_seq, through_position from summaries
      where thread_id = ${threadId} and user_id = ${owner.userId} and not exists (
        select from turns where hidden and turns.thread_id = ${threadId} and turns.seq = through_seq)
      order by through_seq desc, through_position desc limit 1
    )
    select coalesce(sum(octet_length(body::text)), 0) as bytes from items
    where thread_id = ${threadId} and user_id = ${owner.userId}
      and not exists (
        select from turns where (hidden or refused) and turns.thread_id = ${threadId} and turns.seq = turn_seq)
      and not exists (select from newest where (turn_seq, position) <= (through_seq, through_position))`.execute(trx);
  return Number(rows[0]?.bytes ?? 0);
}

/** The newest summary that the turn at `seq` could have seen; with `before`, the newest that a model call ending then could have. */
export async function findSummary(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  { seq, before }: { readonly seq: number; readonly before?: Date | undefined },
): Promise<MadeSummary | undefined> {
  const { rows } = await sql<MadeSummary>`
    select through_seq, through_position, turn_seq, turn_id, text, reads, provider, model, usage, created_at from summaries
    where thread_id = ${threadId} and user_id = ${owner.userId} and turn_seq <= ${seq}
      and created_at < ${before ?? 'infinity'} and through_seq in (${lineOf(owner, threadId, seq)})
    order by through_seq desc, through_position desc limit 1`.execute(trx);
  return rows[0];
}
