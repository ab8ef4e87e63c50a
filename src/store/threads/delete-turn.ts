import { sql } from 'kysely';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type OtherHalf, otherHalves } from '#domain/thread/call-pairs.ts';
import { firstWords } from '#domain/thread/first-words.ts';
import type { Item, ItemBody } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { findConversation } from './conversations.ts';
import { findOpenGate } from './gates.ts';
import { deleteThread } from './threads.ts';

/**
 * Deletes an ended turn with all its data, and its thread if it is the only turn, unless a caller created the thread as a
 * conversation. Calls and outputs of other turns that lose their other half go as well. Returns those of the turn at
 * `activeSeq` instead, and deletes nothing, because an attempt at that turn counts on its items. The caller holds the lock
 * of the thread.
 */
export async function deleteTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Turn,
  activeSeq: number | undefined,
): Promise<OtherHalf[]> {
  const others = await trx
    .selectFrom('turns')
    .select('id')
    .where('threadId', '=', turn.threadId)
    .where('userId', '=', owner.userId)
    .where('id', '<>', turn.id)
    .limit(1)
    .execute();
  const conversation = await findConversation(trx, owner, turn.threadId);
  if (others.length === 0 && !conversation?.metadata) {
    await deleteRows(trx, owner, turn);
    await deleteThread(trx, owner, turn.threadId);
    return [];
  }
  const gate = await findOpenGate(trx, owner, turn.threadId);
  const calls = await listCalls(trx, owner, turn.threadId);
  const halves = otherHalves(calls, turn.seq, gate?.turnId === turn.id);
  const inUse = halves.filter(({ turnSeq }) => turnSeq === activeSeq);
  if (inUse.length > 0) return inUse;

  const gone = new Set([...halves, ...calls.filter(({ turnSeq }) => turnSeq === turn.seq)].map(({ id }) => id));
  if (gate && gone.has(gate.call.id)) await deleteGatesOf(trx, owner, gate.turnId);
  await deleteRows(trx, owner, turn);
  await deleteItems(
    trx,
    owner,
    turn.threadId,
    halves.map(({ id }) => id),
    turn.seq,
  );
  return [];
}

/** Deletes one item of an ended turn, and every copy of its content. The caller holds the lock of the thread. */
export async function deleteItem(trx: OwnedTransaction, owner: Owner, item: Item): Promise<void> {
  const { id, threadId, turnId, turnSeq } = item;
  await deleteEvents(trx, turnId);
  await deleteSummaries(trx, owner, threadId, turnSeq);
  await deleteItems(trx, owner, threadId, [id]);
}

async function listCalls(trx: OwnedTransaction, owner: Owner, threadId: ThreadId) {
  const rows = await trx
    .selectFrom('items')
    .select(['id', 'turnSeq', 'body'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where(sql<boolean>`body::text like '%"type":"function_call%'`) // operators such as ->> fail on \u0000 anywhere in a body
    .orderBy('turnSeq')
    .orderBy('position')
    .execute();
  return rows.flatMap(({ id, turnSeq, body }) =>
    body.type === 'message' || body.type === 'compaction' ? [] : { id, turnSeq, type: body.type, callId: body.callId },
  );
}

async function deleteGatesOf(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<void> {
  await trx.deleteFrom('gates').where('turnId', '=', turnId).where('userId', '=', owner.userId).execute();
}

/** The rows of a turn besides its items. */
async function deleteRows(trx: OwnedTransaction, owner: Owner, turn: Turn): Promise<void> {
  await deleteEvents(trx, turn.id);
  await deleteGatesOf(trx, owner, turn.id);
  for (const table of ['idempotencyKeys', 'unstoredTurns'] as const)
    await trx.deleteFrom(table).where('turnId', '=', turn.id).where('userId', '=', owner.userId).execute();
  await deleteSummaries(trx, owner, turn.threadId, turn.seq);
  await trx.deleteFrom('turns').where('id', '=', turn.id).where('userId', '=', owner.userId).execute();
}

/** Deletes the summaries that cover the turn at `seq`, because they hold its content. */
async function deleteSummaries(trx: OwnedTransaction, owner: Owner, threadId: ThreadId, seq: number): Promise<void> {
  await sql`
    delete from summaries
    where thread_id = ${threadId} and user_id = ${owner.userId} and through_seq >= ${seq}`.execute(trx);
}

/** Row-level security limits this to turns of the owner, so the turn must still exist. */
async function deleteEvents(trx: OwnedTransaction, turnId: TurnId): Promise<void> {
  await sql`delete from turn_events where turn_id = ${turnId}`.execute(trx);
}

/** Deletes the items with these ids and those of the turn at `seq`, and keeps the thread's size and the words that lists show in step. */
async function deleteItems(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  ids: readonly ItemId[],
  seq: number | null = null,
): Promise<void> {
  const { rows } = await sql<{ id: ItemId; bytes: number }>`
    delete from items
    where thread_id = ${threadId} and user_id = ${owner.userId} and (turn_seq = ${seq}::integer or id = any(${ids}::uuid[]))
    returning id, octet_length(body::text) as bytes`.execute(trx);
  await sql`
    delete from item_texts
    where item_id = any(${rows.map(({ id }) => id)}::uuid[]) and user_id = ${owner.userId}`.execute(trx);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const { opening } = firstWords(await findUserMessage(trx, owner, threadId, 'asc'));
  const { preview } = firstWords(await findUserMessage(trx, owner, threadId, 'desc'));
  await trx
    .updateTable('threads')
    .set({ bytes: sql<string>`greatest(0, bytes - ${bytes})`, opening, preview })
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
}

/** The oldest or newest message of the user. */
async function findUserMessage(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  order: 'asc' | 'desc',
): Promise<(Pick<Item, 'id'> & ItemBody)[]> {
  const rows = await trx
    .selectFrom('items')
    .select(['id', 'body'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('attempt', 'is', null)
    .where(sql<boolean>`body::text like '%"role":"user"%'`)
    .orderBy('turnSeq', order)
    .orderBy('position', order)
    .limit(1)
    .execute();
  return rows.map(({ id, body }) => ({ id, ...body }));
}
