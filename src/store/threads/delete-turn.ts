import { sql } from 'kysely';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type OtherHalf, otherHalves } from '#domain/thread/call-pairs.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { lineTo, newestAfter } from '#domain/thread/versions.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { deleteSources } from '../sources.ts';
import { findConversation } from './conversations.ts';
import { findOpenGate } from './gates.ts';
import { shortenShare } from './shares.ts';
import { deleteEvents, deleteThread } from './threads.ts';
import { findLine, placeTurns, refreshWords, showLine } from './versions.ts';

/**
 * Deletes an ended turn with all its data, and its thread if it is the only turn, unless a caller created the thread as a
 * conversation. Calls and outputs of other turns that lose their other half go as well. Returns the ones of the turn at
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
  if ((await findLine(trx, owner, turn.threadId)) > 0) await leaveTree(trx, owner, turn);
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

/**
 * Takes a turn out of the tree of versions: what followed it follows the turn before it. If it was the end of the shown
 * line, the newest of its other versions is shown.
 */
async function leaveTree(trx: OwnedTransaction, owner: Owner, { id, threadId, seq }: Turn): Promise<void> {
  const placed = await placeTurns(trx, owner, threadId);
  const own = placed.find((turn) => turn.id === id);
  if (!own) return;
  await trx
    .updateTable('turns')
    .set({ follows: own.follows })
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('follows', '=', seq)
    .execute();
  await shortenShare(trx, owner, threadId, { seq, before: own.follows });
  const rest = placed
    .filter((turn) => turn !== own)
    .map((turn) => (turn.follows === seq ? { ...turn, follows: own.follows } : turn));
  const end = Math.max(0, ...rest.filter(({ hidden }) => !hidden).map((turn) => turn.seq));
  await showLine(trx, owner, threadId, lineTo(rest, newestAfter(rest, end)));
}

/** Deletes one item of an ended turn, and every copy of its content. The caller holds the lock of the thread. */
export async function deleteItem(trx: OwnedTransaction, owner: Owner, item: Item): Promise<void> {
  const { id, threadId, turnId, turnSeq } = item;
  await deleteEvents(trx, owner, [turnId]);
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
  await deleteEvents(trx, owner, [turn.id]);
  await deleteGatesOf(trx, owner, turn.id);
  for (const table of ['idempotencyKeys', 'requestTries', 'unstoredTurns'] as const)
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

/** Deletes the items with these ids and all items of the turn at `seq`, and keeps the thread's size and the words that lists show in step. */
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
  await sql`
    delete from attachment_uses
    where item_id = any(${rows.map(({ id }) => id)}::uuid[]) and user_id = ${owner.userId}`.execute(trx);
  await deleteSources(
    trx,
    owner,
    threadId,
    rows.map(({ id }) => id),
  );
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  await trx
    .updateTable('threads')
    .set({ bytes: sql<string>`greatest(0, bytes - ${bytes})` })
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
  await refreshWords(trx, owner, threadId);
}
