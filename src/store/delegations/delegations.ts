import type { DelegationState } from '#domain/delegation/delegation.ts';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** The children of a run that have not ended. */
export function listUnfinished(
  trx: OwnedTransaction,
  owner: Owner,
  run: TurnId,
): Promise<{ call: ItemId; childThreadId: ThreadId; childRun: TurnId }[]> {
  return trx
    .selectFrom('delegations')
    .select(['call', 'childThreadId', 'childRun'])
    .where('run', '=', run)
    .where('userId', '=', owner.userId)
    .where('state', '<>', 'ended')
    .orderBy('startedAt')
    .execute();
}

/** The child that a call has started. */
export function findChild(
  trx: OwnedTransaction,
  owner: Owner,
  call: ItemId,
): Promise<{ childRun: TurnId; state: DelegationState } | undefined> {
  return trx
    .selectFrom('delegations')
    .select(['childRun', 'state'])
    .where('call', '=', call)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** The turn at which a run is now. */
export async function findNewestTurn(
  trx: OwnedTransaction,
  owner: Owner,
  run: TurnId,
): Promise<{ id: TurnId; threadId: ThreadId } | undefined> {
  return trx
    .selectFrom('turns')
    .select(['id', 'threadId'])
    .where((row) => row.or([row('id', '=', run), row('run', '=', run)]))
    .where('userId', '=', owner.userId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
