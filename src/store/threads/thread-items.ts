import { sql } from 'kysely';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import { type DatedItem, type ItemBody, type TimedItem, timeCalls } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

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

/** The newest `limit` items before a position, or of the whole thread; oldest first. */
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
    .orderBy('turnSeq', 'desc')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
  const later = before ? await listNear(trx, owner, threadId, before) : [];
  return timeCalls(rows.toReversed().map(toItem), later);
}

/** The items on one side of a position, nearest first, without messages that were refused at a gate. */
export async function listItemsFrom(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  { from, order, limit }: { from: ItemPosition | undefined; order: 'asc' | 'desc'; limit: number },
): Promise<DatedItem[]> {
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const rows = await selectItems(trx, owner, threadId)
    .$if(from !== undefined, (query) =>
      query.where(sql<boolean>`(turn_seq, position) ${beyond} (${from?.turnSeq}, ${from?.position})`),
    )
    .where(sql<boolean>`not exists (
      select from turns where refused and turns.thread_id = ${threadId} and turns.seq = turn_seq)`)
    .orderBy('turnSeq', order)
    .orderBy('position', order)
    .limit(limit)
    .execute();
  return rows.map(toItem);
}

/** The conversation up to and including the turn at `seq`, without messages that were refused at a gate. */
export async function listHistory(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  seq: number,
): Promise<TimedItem[]> {
  const rows = await selectItems(trx, owner, threadId)
    .where('turnSeq', '<=', seq)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('turns')
            .where('refused', '=', true)
            .where('turns.threadId', '=', threadId)
            .whereRef('turns.seq', '=', 'items.turnSeq')
            .whereRef('turns.seq', '<', row.lit(seq))
            .select('turns.id'),
        ),
      ),
    )
    .orderBy('turnSeq')
    .orderBy('position')
    .execute();
  return timeCalls(rows.map(toItem));
}

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
