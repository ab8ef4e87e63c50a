import { sql } from 'kysely';
import { cellDigits } from '#domain/cell/cell.ts';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { copyWorkspace } from '../workspaces/workspaces.ts';
import type { ItemPosition } from './thread-items.ts';

/**
 * Creates a thread with copies of the items before a position, as the input of one finished turn, and of the files
 * of that moment. Their cost stays with the original thread.
 */
export async function forkThread(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  before: ItemPosition | undefined,
  newest: Pick<TurnRequest, 'model' | 'assistant'> = { model: null },
): Promise<ThreadId> {
  const [threadId, turnId] = [newId<ThreadId>(), newId<TurnId>()];
  const digits = cellDigits();
  const isEmpty = before?.turnSeq === 1 && before.position === 0; // it has no opening yet
  await sql`
    insert into threads (id, user_id, last_seq, temporary, title, generated_title, opening, preview)
    select ${threadId}, user_id, 1, temporary, title, generated_title, case when ${isEmpty} then '' else opening end,
      case when ${isEmpty} then '' else preview end
    from threads where id = ${id} and user_id = ${owner.userId}`.execute(trx);
  const ended = { status: 'completed' as const, endedAt: sql<Date>`now()` };
  await trx
    .insertInto('turns')
    .values({
      id: turnId,
      threadId,
      userId: owner.userId,
      seq: 1,
      channel: 'gateway',
      request: requestWith(newest),
      assistant: newest.assistant?.id ?? null,
      ...ended,
    })
    .execute();
  await sql`
    with copied as materialized (
    select row_number() over (order by turn_seq, position) - 1 as position, overlay(gen_random_uuid()::text placing ${digits} from ${37 - digits.length})::uuid as id, id as original, user_id,
      body, started_at, created_at
    from items
    where thread_id = ${id} and user_id = ${owner.userId}
      and (${before === undefined} or (turn_seq, position) < (${before?.turnSeq ?? 0}, ${before?.position ?? 0}))
      and not exists (select from turns where (refused or hidden) and turns.thread_id = ${id} and turns.seq = turn_seq)
    ), put as (
      insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body, started_at, created_at)
      select ${threadId}, 1, position, id, ${turnId}, user_id, body, started_at, created_at from copied
    ), used as (
      insert into attachment_uses (item_id, sha256, thread_id, user_id)
      select copied.id, uses.sha256, ${threadId}, uses.user_id
      from copied join attachment_uses as uses on uses.item_id = copied.original
    ), shown as (
      insert into sources (thread_id, number, sha256, user_id, url, title, published, how, text, turn_id, item_id)
      select ${threadId}, number, sha256, sources.user_id, url, title, published, how, text, ${turnId}, copied.id
      from sources join copied on copied.original = sources.item_id where sources.thread_id = ${id}
    )
    insert into item_texts (item_id, thread_id, user_id, role, text, words, created_at)
    select copied.id, ${threadId}, said.user_id, said.role, said.text, said.words, said.created_at
    from copied join item_texts as said on said.item_id = copied.original`.execute(trx);
  const beforeSeq = before && before.turnSeq + (before.position === 0 ? 0 : 1);
  await copyWorkspace(trx, owner, { from: id, to: threadId, beforeSeq });
  return threadId;
}

const requestWith = ({ model, assistant }: Pick<TurnRequest, 'model' | 'assistant'>) =>
  JSON.stringify({
    model,
    temperature: null,
    tools: [],
    ...(assistant && { assistant }),
    echo: {},
  } satisfies TurnRequest);
