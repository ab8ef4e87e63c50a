import { sql } from 'kysely';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import { type DatedItem, type ItemBody, type TimedItem, timeCalls } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { isShown } from './versions.ts';

export type ItemPosition = { readonly turnSeq: number; readonly position: number };

/** The output of a call is near it; it is not searched for further away than this. */
export const NEAR = 64;

export async function findItemPosition(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  id: ItemId,
): Promise<ItemPosition | undefined> {
  return trx
    .selectFrom('items')
    .select(['turnSeq', 'position'])
    .where('id', '=', id)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** The newest `limit` shown items before a position, or of the whole thread; oldest first. */
export async function listItemsBefore(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  { before, limit }: { before: ItemPosition | undefined; limit: number },
): Promise<TimedItem[]> {
  const rows = await selectItems(trx, owner, threadId)
    .$if(before !== undefined, (query) =>
      query.where(sql<boolean>`(turn_seq, position) < (${before?.turnSeq}, ${before?.position})`),
    )
    .where(isShown(threadId))
    .orderBy('turnSeq', 'desc')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
  const later = before ? await listNear(trx, owner, threadId, before) : [];
  return timeCalls(rows.toReversed().map(toItem), later);
}

/**
 * The items on one side of a position, nearest first, without messages that were refused at a gate: those that are shown, or
 * with `through` all items of the turns that lead to that turn, shown or not.
 */
export async function listItemsFrom(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  page: {
    readonly from: ItemPosition | undefined;
    readonly order: 'asc' | 'desc';
    readonly limit: number;
    readonly through?: number;
  },
): Promise<DatedItem[]> {
  const { from, order, limit, through } = page;
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const rows = await selectItems(trx, owner, threadId)
    .$if(from !== undefined, (query) =>
      query.where(sql<boolean>`(turn_seq, position) ${beyond} (${from?.turnSeq}, ${from?.position})`),
    )
    .where(
      through === undefined
        ? isShown(threadId)
        : sql<boolean>`turn_seq <= ${through} and turn_seq in (${lineOf(owner, threadId, through)})`,
    )
    .where(sql<boolean>`not exists (
      select from turns where refused and turns.thread_id = ${threadId} and turns.seq = turn_seq)`)
    .orderBy('turnSeq', order)
    .orderBy('position', order)
    .limit(limit)
    .execute();
  return rows.map(toItem);
}

/** The conversation up to and including the turn at `seq`, hidden or not, without messages that were refused at a gate. */
export async function listHistory(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  seq: number,
): Promise<TimedItem[]> {
  const rows = await selectItems(trx, owner, threadId)
    .where('turnSeq', '<=', seq)
    .where(sql<boolean>`turn_seq in (${lineOf(owner, threadId, seq)})`)
    .where(sql<boolean>`not exists (
      select from turns where refused and turns.thread_id = ${threadId} and turns.seq = turn_seq and turns.seq < ${seq})`)
    .orderBy('turnSeq')
    .orderBy('position')
    .execute();
  return timeCalls(rows.map(toItem));
}

/** The numbers of the turns that lead to the turn at `seq`. On the shown line, these are the shown turns before it. */
export const lineOf = ({ userId }: Owner, threadId: ThreadId, seq: number) => sql`
  with recursive line (seq, follows) as (
    select seq, follows from turns where thread_id = ${threadId} and user_id = ${userId} and seq = ${seq} and hidden
    union all
    select turns.seq, turns.follows from line join turns on turns.seq = line.follows
      and turns.thread_id = ${threadId} and turns.user_id = ${userId}
  )
  select seq from line
  union all
  select seq from turns where thread_id = ${threadId} and user_id = ${userId} and not hidden and not exists (select from line)`;

export async function listItemsOfTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'threadId' | 'seq'>,
): Promise<TimedItem[]> {
  const rows = await selectItems(trx, owner, turn.threadId)
    .where('turnSeq', '=', turn.seq)
    .orderBy('position')
    .execute();
  return timeCalls(rows.map(toItem));
}

async function listNear(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  from: ItemPosition,
): Promise<DatedItem[]> {
  const rows = await selectItems(trx, owner, threadId)
    .where(sql<boolean>`(turn_seq, position) >= (${from.turnSeq}, ${from.position})`)
    .where(isShown(threadId))
    .orderBy('turnSeq')
    .orderBy('position')
    .limit(NEAR)
    .execute();
  return rows.map(toItem);
}

const selectItems = (trx: OwnedTransaction, owner: Owner, threadId: ThreadId) =>
  trx.selectFrom('items').select(columns).where('threadId', '=', threadId).where('userId', '=', owner.userId);

const columns = [
  'threadId',
  'turnId',
  'turnSeq',
  'position',
  'id',
  'attempt',
  'body',
  'usage',
  'startedAt',
  'createdAt',
] as const;

type Row = Omit<DatedItem, keyof ItemBody> & { readonly body: ItemBody };

const toItem = ({ body, ...rest }: Row): DatedItem => ({ ...rest, ...body });
