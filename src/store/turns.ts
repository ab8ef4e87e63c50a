import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { CancelReason, Channel, Failure, Turn, TurnRequest } from '#domain/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

export type NewTurn = {
  readonly id: TurnId;
  readonly threadId: ThreadId;
  readonly seq: number;
  readonly channel: Channel;
  readonly request: TurnRequest;
};

export async function insertTurn(trx: OwnedTransaction, owner: Owner, turn: NewTurn): Promise<Turn> {
  const values = { ...turn, userId: owner.userId, request: JSON.stringify(turn.request) };
  const row = await trx.insertInto('turns').values(values).returning(columns).executeTakeFirstOrThrow();
  return toTurn(row);
}

/** A turn that is over before it began: it has its place and its reason, and never runs. */
export async function insertFailedTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: NewTurn,
  failure: Failure,
): Promise<Turn> {
  const values = {
    ...turn,
    userId: owner.userId,
    request: JSON.stringify(turn.request),
    status: 'failed' as const,
    refused: true,
    failure: JSON.stringify(failure),
    endedAt: sql<Date>`now()`,
  };
  const row = await trx.insertInto('turns').values(values).returning(columns).executeTakeFirstOrThrow();
  return toTurn(row);
}

export async function findTurn(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  id: TurnId,
): Promise<Turn | undefined> {
  const row = await trx
    .selectFrom('turns')
    .select(columns)
    .where('id', '=', id)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return row && toTurn(row);
}

/** How many turns wait behind the thread's active one. */
export async function countWaiting(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  active: TurnId,
): Promise<number> {
  const row = await trx
    .selectFrom('turns as waiting')
    .innerJoin('turns as active', 'active.threadId', 'waiting.threadId')
    .where('active.id', '=', active)
    .where('waiting.threadId', '=', threadId)
    .where('waiting.userId', '=', owner.userId)
    .whereRef('waiting.seq', '>', 'active.seq')
    .where('waiting.status', '=', 'queued')
    .select((count) => count.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Ends a queued turn that never ran, unless it answers a gate: what hangs on that gate must be closed by running it. */
export async function endQueuedTurn(trx: OwnedTransaction, owner: Owner, turn: Turn): Promise<boolean> {
  const ended = await trx
    .updateTable('turns')
    .set({ status: 'cancelled', endedAt: sql<Date>`now()` })
    .where('id', '=', turn.id)
    .where('userId', '=', owner.userId)
    .where('status', '=', 'queued')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('gates')
            .where('threadId', '=', turn.threadId)
            .where('answeredSeq', '=', turn.seq)
            .select('id'),
        ),
      ),
    )
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** The first reason stands. */
export async function requestCancel(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Turn,
  reason: CancelReason,
): Promise<void> {
  await trx
    .updateTable('turns')
    .set({ cancelReason: reason })
    .where('id', '=', turn.id)
    .where('userId', '=', owner.userId)
    .where('cancelReason', 'is', null)
    .execute();
}

const columns = [
  'id',
  'threadId',
  'userId',
  'seq',
  'status',
  'channel',
  'request',
  'failure',
  'usage',
  'attempt',
  'cancelReason',
  'createdAt',
  'endedAt',
] as const;

/** A row as the driver gives it: the columns above, of which `usage` is null until the turn has ended. */
type TurnRow = Omit<Turn, 'usage'> & { readonly usage: Turn['usage'] | null };

const toTurn = (row: TurnRow): Turn => ({ ...row, usage: row.usage ?? NO_USAGE });
