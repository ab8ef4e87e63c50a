import type { TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Remembers the request that a turn was accepted for. */
export async function insertTry(trx: OwnedTransaction, owner: Owner, turnId: TurnId, digest: string): Promise<void> {
  await trx.insertInto('requestTries').values({ turnId, userId: owner.userId, digest }).execute();
}
