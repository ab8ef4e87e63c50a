import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { Share } from '#domain/thread/share.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export type NewShare = Omit<Share, 'createdAt' | 'updatedAt'>;

/** Shares a thread, or changes what its link shows. The link stays the same unless there is a new `hash`. */
export function putShare(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  share: NewShare,
  { hash, isNew }: { readonly hash: Buffer; readonly isNew: boolean },
): Promise<Share> {
  return trx
    .insertInto('shares')
    .values({ ...share, userId: owner.userId, hash })
    .onConflict((given) =>
      given.column('threadId').doUpdateSet({ ...share, updatedAt: sql<Date>`now()`, ...(isNew && { hash }) }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export function findShare(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<Share | undefined> {
  return trx
    .selectFrom('shares')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** The newest first, with the title of each thread. */
export function listShares(
  trx: OwnedTransaction,
  owner: Owner,
  limit: number,
): Promise<(Share & { readonly title: string })[]> {
  return trx
    .selectFrom('shares')
    .innerJoin('threads', 'threads.id', 'shares.threadId')
    .select(columns.map((column) => `shares.${column}` as const))
    .select(({ fn }) => fn.coalesce('threads.title', 'threads.generatedTitle', 'threads.opening').as('title'))
    .where('shares.userId', '=', owner.userId)
    .orderBy('shares.updatedAt', 'desc')
    .limit(limit)
    .execute();
}

/** Ends what a link shows with an earlier turn, because the turn at `seq` is deleted. The line of the link stays the same. */
export async function shortenShare(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  { seq, before }: { readonly seq: number; readonly before: number },
): Promise<void> {
  await trx
    .updateTable('shares')
    .set({ throughSeq: before, throughPosition: LAST_POSITION })
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('throughSeq', '=', seq)
    .execute();
}

const LAST_POSITION = 2 ** 31 - 1;

/** Returns whether there was one. */
export async function deleteShare(trx: Audited<OwnedTransaction>, owner: Owner, threadId: ThreadId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('shares')
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const columns = [
  'threadId',
  'throughSeq',
  'throughPosition',
  'withTools',
  'withAttachments',
  'createdAt',
  'updatedAt',
] as const;
