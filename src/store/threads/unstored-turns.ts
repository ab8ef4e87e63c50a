import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Marks a turn whose caller has the reply. */
export async function markDelivered(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<void> {
  await trx
    .updateTable('unstoredTurns')
    .set({ deliveredAt: sql<Date>`now()` })
    .where('turnId', '=', turnId)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Whether a turn is not to be stored and its caller has the reply: then it is kept only to match a replayed history. */
export async function isDelivered(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<boolean> {
  const row = await trx
    .selectFrom('unstoredTurns')
    .select('turnId')
    .where('turnId', '=', turnId)
    .where('userId', '=', owner.userId)
    .where('deliveredAt', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks a turn like the one that it follows. */
export async function markLike(trx: OwnedTransaction, owner: Owner, turnId: TurnId, earlier: TurnId): Promise<void> {
  await sql`
    insert into unstored_turns (turn_id, user_id)
    select ${turnId}, user_id from unstored_turns
    where turn_id = ${earlier} and user_id = ${owner.userId}`.execute(trx);
}

/** Removes the marks of a thread: it is kept. */
export async function keepThread(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<void> {
  await sql`
    delete from unstored_turns
    where user_id = ${owner.userId}
      and turn_id in (select id from turns where thread_id = ${threadId} and user_id = ${owner.userId})`.execute(trx);
}
