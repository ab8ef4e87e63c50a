import type { ThreadId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/**
 * Everything of the thread. Turns and gates go with its row; its items after that, when no attempt can write one any
 * more, because the turn it would have to stand behind is gone.
 */
export async function deleteThread(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<void> {
  await trx
    .deleteFrom('idempotencyKeys')
    .where('userId', '=', owner.userId)
    .where('turnId', 'in', (turns) => turns.selectFrom('turns').select('id').where('threadId', '=', id))
    .execute();
  await trx.deleteFrom('threads').where('id', '=', id).where('userId', '=', owner.userId).execute();
  for (const table of ['items', 'conversations', 'jobs'] as const)
    await trx.deleteFrom(table).where('threadId', '=', id).where('userId', '=', owner.userId).execute();
}
