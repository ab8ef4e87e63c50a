import { sql } from 'kysely';
import { Superseded } from '#domain/errors.ts';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import type { Item, ItemBody, NewItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { isShown } from './versions.ts';

/** Records that a call's tool is about to run, so that after a crash it is known which calls may have happened. */
export async function markStarted(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'id' | 'attempt'>,
  call: Pick<Item, 'threadId' | 'turnSeq' | 'position'>,
  isStarted = true,
): Promise<void> {
  const marked = await sql`
    with fence as (
      select 1 from turns
      where id = ${turn.id} and user_id = ${owner.userId} and attempt = ${turn.attempt} and status = 'running'
      for no key update
    )
    update items set started_at = case when ${isStarted} then now() end from fence
    where thread_id = ${call.threadId} and turn_seq = ${call.turnSeq} and position = ${call.position}`.execute(trx);
  if (marked.numAffectedRows !== 1n) throw new Superseded(turn.id);
}

/** The newest shown messages of a thread that may hold instructions, newest last. */
export async function listNewestRequests(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  limit: number,
): Promise<ItemBody[]> {
  const rows = await trx
    .selectFrom('items')
    .select('body')
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where(sql<boolean>`body::text ~ '"role":"(user|developer)"'`) // see migration 0001: no query looks inside a body
    .where(isShown(threadId))
    .orderBy('turnSeq', 'desc')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ body }) => body).toReversed();
}

/** The owner's items with these IDs, from any of their threads. */
export async function findItems(trx: OwnedTransaction, owner: Owner, ids: readonly ItemId[]): Promise<NewItem[]> {
  const rows = await trx
    .selectFrom('items')
    .select(['id', 'body'])
    .where('id', 'in', [...ids])
    .where('userId', '=', owner.userId)
    .execute();
  return rows.map(({ id, body }) => ({ id, ...body }));
}

/** Whether the item was not trusted before. Only one transaction at a time can change its body. */
export async function vouchForItem(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  threadId: ThreadId,
  id: ItemId,
): Promise<boolean> {
  const own = sql`thread_id = ${threadId} and id = ${id} and user_id = ${owner.userId}`;
  const { rows } = await sql<{
    body: ItemBody;
  }>`select body from items where ${own} for no key update`.execute(trx);
  const [row] = rows;
  if (!row || !('content' in row.body || 'output' in row.body) || row.body.vouched) return false;
  const json = JSON.stringify({ ...row.body, vouched: true });
  await sql`
    with old as (select octet_length(body::text) as bytes from items where ${own}),
    changed as (update items set body = ${json}::json where ${own})
    update threads set bytes = threads.bytes - old.bytes + ${Buffer.byteLength(json)} from old
    where threads.id = ${threadId} and threads.user_id = ${owner.userId}`.execute(trx);
  return true;
}
