import type { ThreadId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** A thread as its caller describes it. */
export type Conversation = {
  readonly id: ThreadId;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, unknown>> | null;
};

export function findConversation(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<Conversation | undefined> {
  return trx
    .selectFrom('threads')
    .select(['id', 'createdAt', 'metadata'])
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** Returns undefined if the thread does not exist. */
export function replaceMetadata(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Conversation | undefined> {
  return trx
    .updateTable('threads')
    .set({ metadata: JSON.stringify(metadata) })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .returning(['id', 'createdAt', 'metadata'])
    .executeTakeFirst();
}
