import type { TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Marks a turn that is about to be accepted: it is deleted once its reply was delivered, or an hour after its end. */
export async function markUnstored(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<void> {
  await trx.insertInto('unstoredTurns').values({ turnId, userId: owner.userId }).execute();
}
