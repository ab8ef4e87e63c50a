import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { Share } from '#domain/thread/share.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export type NewShare = Omit<Share, 'createdAt' | 'updatedAt'>;

/** `sealed`: the link, encrypted for its owner. */
export type NewLink = { readonly hash: Buffer; readonly sealed: Buffer };

/** Shares a thread, or changes what its link shows. The link stays the same unless it is a new one. */
export function putShare(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  share: NewShare,
  { hash, sealed, isNew }: NewLink & { readonly isNew: boolean },
): Promise<Share> {
  return trx
    .insertInto('shares')
    .values({ ...share, userId: owner.userId, hash, sealedLink: sealed })
    .onConflict((given) =>
      given
        .column('threadId')
        .doUpdateSet({ ...share, updatedAt: sql<Date>`now()`, ...(isNew && { hash, sealedLink: sealed }) }),
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

/** `sealedLink` is null if a version made the link that did not keep it. */
export function findSealedLink(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
): Promise<{ readonly hash: Buffer; readonly sealedLink: Buffer | null } | undefined> {
  return trx
    .selectFrom('shares')
    .select(['hash', 'sealedLink'])
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
