import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Marks a turn that is about to be accepted: it is deleted once its reply was delivered, or an hour after its end. */
export async function markUnstored(trx: OwnedTransaction, owner: Owner, turnId: TurnId): Promise<void> {
  await trx.insertInto('unstoredTurns').values({ turnId, userId: owner.userId }).execute();
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
