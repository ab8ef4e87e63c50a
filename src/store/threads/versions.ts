import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { firstWords } from '#domain/text/first-words.ts';
import type { ItemBody, NewItem } from '#domain/thread/item.ts';
import type { PlacedTurn } from '#domain/thread/versions.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/**
 * The tree of a thread's turns. A new turn is stored without the turn it follows, because it follows the newest shown one;
 * this writes it down, before another line is shown. The caller holds the lock of the thread.
 */
export async function placeTurns(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<PlacedTurn[]> {
  await sql`
    update turns set follows = placed.follows
    from (
      select id, coalesce(lag(seq) over (order by seq), 0) as follows from turns
      where thread_id = ${threadId} and user_id = ${owner.userId} and not hidden
    ) as placed
    where turns.id = placed.id and turns.user_id = ${owner.userId} and turns.follows is null`.execute(trx);
  const rows = await trx
    .selectFrom('turns')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
  return rows.map(toPlaced);
}

/** Places a new turn beside the versions that follow the same turn. */
export async function placeVersion(
  trx: OwnedTransaction,
  owner: Owner,
  id: TurnId,
  { follows, origin }: Pick<PlacedTurn, 'follows' | 'origin'>,
): Promise<void> {
  await trx
    .updateTable('turns')
    .set({ follows, origin })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Shows the turns with these numbers and hides all others. The line gets a new number, so that watchers notice. */
export async function showLine(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  line: readonly number[],
): Promise<void> {
  await sql`
    update turns set hidden = not hidden
    where thread_id = ${threadId} and user_id = ${owner.userId} and hidden = (seq = any(${line}::integer[]))`.execute(
    trx,
  );
  await trx
    .updateTable('threads')
    .set((row) => ({ line: row('line', '+', 1), updatedAt: sql<Date>`now()` }))
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
  await refreshWords(trx, owner, threadId);
}

/** The turns of these, and all turns that follow the same ones. */
export async function listSiblings(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  ids: readonly TurnId[],
): Promise<PlacedTurn[]> {
  const rows = await trx
    .selectFrom('turns')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('follows', 'in', (turns) =>
      turns
        .selectFrom('turns as asked')
        .select('asked.follows')
        .where('asked.threadId', '=', threadId)
        .where('asked.userId', '=', owner.userId)
        .where('asked.id', 'in', [...ids]),
    )
    .execute();
  return rows.map(toPlaced);
}

/** How often another line of the thread was shown. */
export async function findLine(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<number> {
  const row = await trx
    .selectFrom('threads')
    .select('line')
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return row?.line ?? 0;
}

/** Keeps the words that lists show for a thread in step with its shown messages. */
export async function refreshWords(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<void> {
  const { opening } = firstWords(await findUserMessage(trx, owner, threadId, 'asc'));
  const { preview } = firstWords(await findUserMessage(trx, owner, threadId, 'desc'));
  await trx
    .updateTable('threads')
    .set({ opening, preview })
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
}

/** The oldest or newest shown message of the user. */
async function findUserMessage(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  order: 'asc' | 'desc',
): Promise<NewItem[]> {
  const rows = await trx
    .selectFrom('items')
    .select(['id', 'body'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('attempt', 'is', null)
    .where(sql<boolean>`body::text like '%"role":"user"%'`)
    .where(isShown(threadId))
    .orderBy('turnSeq', order)
    .orderBy('position', order)
    .limit(1)
    .execute();
  return rows.map(({ id, body }: { id: NewItem['id']; body: ItemBody }) => ({ id, ...body }));
}

/** A condition on items: their turn is on the shown line. */
export const isShown = (threadId: ThreadId) => sql<boolean>`not exists (
  select from turns where turns.hidden and turns.thread_id = ${threadId} and turns.seq = items.turn_seq)`;

const columns = ['id', 'seq', 'follows', 'origin', 'hidden', 'status'] as const;

function toPlaced({ status, follows, ...turn }: Row): PlacedTurn {
  return { ...turn, follows: follows ?? 0, failed: status === 'failed' };
}

type Row = Omit<PlacedTurn, 'follows' | 'failed'> & { readonly follows: number | null; readonly status: string };
