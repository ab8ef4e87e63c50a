import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { MadeSummary } from '#domain/thread/summary.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { lineOf } from './thread-items.ts';

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
