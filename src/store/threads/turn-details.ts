import type { ReplicaId, ThreadId, TurnId } from '#domain/ids.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export type TurnTimes = {
  readonly threadId: ThreadId;
  readonly startedAt: Date | null;
  /** The replica that runs it. */
  readonly runner: ReplicaId | null;
};

export type TimedGate = Gate & { readonly createdAt: Date; readonly answeredAt: Date | null };

/** The times and the replica of a turn, which its record does not include. */
export function findTurnTimes(trx: OwnedTransaction, owner: Owner, id: TurnId): Promise<TurnTimes | undefined> {
  return trx
    .selectFrom('turns')
    .select(['threadId', 'startedAt', 'runner'])
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** What the thread's newest turn asked for. */
export async function findNewestRequest(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
): Promise<TurnRequest | undefined> {
  const newest = await trx
    .selectFrom('turns')
    .select('request')
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.request;
}

/** The gate that ended a turn. */
export function findTimedGate(trx: OwnedTransaction, owner: Owner, turn: TurnId): Promise<TimedGate | undefined> {
  return trx
    .selectFrom('gates')
    .select(['id', 'threadId', 'turnId', 'kind', 'call', 'asked', 'createdAt', 'answeredAt'])
    .where('turnId', '=', turn)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}
