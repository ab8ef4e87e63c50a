import type { ThreadId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The thread that the owner calls `name`. The first message with the name begins it: see `accept_turns`. */
export async function findNamedThread(
  trx: OwnedTransaction,
  owner: Owner,
  name: string,
): Promise<ThreadId | undefined> {
  const row = await trx
    .selectFrom('conversations')
    .select('threadId')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.threadId;
}
