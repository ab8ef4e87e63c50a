import { sql } from 'kysely';
import type { Gate } from '#domain/gate.ts';
import type { GateId, ThreadId, TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The gate at which the thread waits now. */
export function findOpenGate(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<Gate | undefined> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null)
    .executeTakeFirst();
}

/** The gate that was open when the turn at `seq` had its place: opened before it, and not answered before it. */
export function findGateAhead(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  seq: number,
): Promise<Gate | undefined> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('turnSeq', '<', seq)
    .where((row) => row.or([row('answeredSeq', 'is', null), row('answeredSeq', '>', seq)]))
    .executeTakeFirst();
}

/** The gate at which the turn ended, answered or not. */
export function findGateOfTurn(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  turnId: TurnId,
): Promise<Gate | undefined> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('turnId', '=', turnId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** Closes the gate for good, in favour of the turn at `seq`. */
export async function answerGate(trx: OwnedTransaction, owner: Owner, id: GateId, seq: number): Promise<void> {
  await trx
    .updateTable('gates')
    .set({ answeredAt: sql<Date>`now()`, answeredSeq: seq })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null)
    .execute();
}

const columns = ['id', 'threadId', 'turnId', 'kind', 'call'] as const;
