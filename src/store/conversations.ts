import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The thread that the owner calls `name`; `threadId` if there was none. Of two that come at once the second waits for the first. */
export async function nameThread(
  trx: OwnedTransaction,
  owner: Owner,
  name: string,
  threadId: ThreadId,
): Promise<ThreadId> {
  const row = await trx
    .insertInto('conversations')
    .values({ userId: owner.userId, name, threadId })
    .onConflict((known) => known.columns(['userId', 'name']).doUpdateSet({ name: sql<string>`excluded.name` }))
    .returning('threadId')
    .executeTakeFirstOrThrow();
  return row.threadId;
}
