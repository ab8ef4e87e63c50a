import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The owner's turns that run, or wait for their turn to run. */
export async function listActiveTurns(
  trx: OwnedTransaction,
  owner: Owner,
): Promise<{ readonly turnId: TurnId; readonly threadId: ThreadId }[]> {
  return trx
    .selectFrom('turns')
    .select(['id as turnId', 'threadId'])
    .where('userId', '=', owner.userId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}
