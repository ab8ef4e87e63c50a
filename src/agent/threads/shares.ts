import { randomBytes } from 'node:crypto';
import { type Cell, carryCell } from '#domain/cell/cell.ts';
import { Forbidden, InvalidRequest, Misdirected, NotFound } from '#domain/errors.ts';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import { OPERATOR, type Principal, type UserId } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { type Share, type ShareContent, type SharedItem, toShared } from '#domain/thread/share.ts';
import type { Engine } from '#engine/engine.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findSharedThread } from '#store/system/shares.ts';
import { deleteShare, findShare, listShares, putShare } from '#store/threads/shares.ts';
import { findItemPosition, listItemsBefore, listItemsFrom } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { lockThread } from '#store/threads/threads.ts';
import type { Attachments, OpenAttachment } from '../attachments/attachments.ts';

export type Shares = ReturnType<typeof createShares>;

/** The link of a share. It is shown once, and only its hash is stored. */
const newLink = () => carryCell(randomBytes(24).toString('base64url'));

/** Other texts are not looked up. */
const LINK = /^[\w-]{32}([\da-f]{3})?$/;

const MOST_LISTED = 500;

type Options = {
  readonly db: Database;
  readonly engine: Pick<Engine, 'system'>;
  readonly attachments: Pick<Attachments, 'open'>;
  /** false: the operator has turned links off, also those that exist. */
  readonly enabled: boolean;
  readonly isUser: (id: UserId) => Promise<boolean>;
  /** Finds the cell of a link whose owner has left this one. */
  readonly findCell: (hash: Buffer) => Promise<Cell | undefined>;
};

/** Read-only links to threads. Missing, revoked and foreign ones all throw `NotFound`. */
export function createShares({ db, engine, attachments, enabled, isUser, findCell }: Options) {
  /** Links of removed users are closed, though their threads are still stored. */
  async function open(link: string) {
    const found = enabled && LINK.test(link) ? await findSharedThread(engine.system, hashSecret(link)) : undefined;
    const cell = found || !enabled ? undefined : await findCell(hashSecret(link));
    if (cell !== undefined) throw new Misdirected(cell);
    if (!found || (found.userId !== OPERATOR.userId && !(await isUser(found.userId)))) throw noLink();
    return found;
  }

  return {
    enabled,

    list: (owner: Principal) => withOwner(db, owner, (trx) => listShares(trx, owner, MOST_LISTED)),

    /** The share of a thread, if there is one. */
    find: (owner: Principal, id: ThreadId): Promise<Share | undefined> =>
      withOwner(db, owner, async (trx) => {
        if (!(await findThread(trx, owner, id))) throw noThread();
        return findShare(trx, owner, id);
      }),

    /** Shares the thread as it is now. `link` is there if it is new. */
    async put(
      owner: Principal,
      id: ThreadId,
      content: ShareContent & { readonly newLink: boolean },
    ): Promise<{ share: Share; link: string | undefined }> {
      if (!enabled) throw new Forbidden('sharing_off', 'The operator has turned sharing off.');
      return withOwner(db, owner, async (trx) => {
        if (!(await lockThread(trx, owner, id))) throw noThread();
        const [last] = await listItemsBefore(trx, owner, id, { before: undefined, limit: 1 });
        if (!last) throw new InvalidRequest('invalid_request', null, 'The thread is empty. Send a message first.');
        const isNew = content.newLink || !(await findShare(trx, owner, id));
        const link = newLink();
        const { withTools, withAttachments } = content;
        const wanted = {
          threadId: id,
          throughSeq: last.turnSeq,
          throughPosition: last.position,
          withTools,
          withAttachments,
        };
        const share = await audited(
          trx,
          (writing) => putShare(writing, owner, wanted, { hash: hashSecret(link), isNew }),
          { actor: owner.userId, action: 'thread.share', subject: id, detail: { withTools, withAttachments, isNew } },
        );
        return { share, link: isNew ? link : undefined };
      });
    },

    remove: (owner: Principal, id: ThreadId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        const entry = { actor: owner.userId, action: 'thread.unshare', subject: id, detail: {} };
        const removed = await audited(
          trx,
          (writing) => deleteShare(writing, owner, id),
          (wasThere) => (wasThere ? entry : 'no right changed'),
        );
        if (!removed) throw new NotFound('The thread is not shared.');
      }),

    /** What a visitor reads: a page of the thread, the oldest items first. A page can be empty without being the last. */
    async read(
      link: string,
      page: { readonly after: ItemId | undefined; readonly limit: number },
    ): Promise<{ title: string; share: Share; items: SharedItem[]; next: ItemId | undefined }> {
      const { threadId, userId } = await open(link);
      const owner = { userId };
      return withOwner(db, owner, async (trx) => {
        const [thread, share] = [await findThread(trx, owner, threadId), await findShare(trx, owner, threadId)];
        if (!thread || !share) throw noLink();
        const from = page.after && (await findItemPosition(trx, owner, threadId, page.after));
        if (page.after && !from) throw new InvalidRequest('invalid_request', 'after', 'after is not a shown item.');
        const found = await listItemsFrom(trx, owner, threadId, {
          from: from || undefined,
          order: 'asc',
          limit: page.limit,
          through: share.throughSeq,
        });
        const items = found.flatMap((item) => toShared(share, item) ?? []);
        const last = found.at(-1);
        const hasMore =
          found.length === page.limit &&
          last !== undefined &&
          (last.turnSeq < share.throughSeq ||
            (last.turnSeq === share.throughSeq && last.position < share.throughPosition));
        const { title, generatedTitle, opening } = thread;
        return { title: title ?? generatedTitle ?? opening, share, items, next: hasMore ? last.id : undefined };
      });
    },

    /** The bytes of an attachment, if the share includes it. */
    async openAttachment(link: string, item: ItemId, index: number): Promise<OpenAttachment> {
      const { threadId, userId } = await open(link);
      const owner = { userId };
      const shown = await withOwner(db, owner, async (trx) => {
        const share = await findShare(trx, owner, threadId);
        const at = share && (await findItemPosition(trx, owner, threadId, item));
        if (!at) return undefined;
        const before = { ...at, position: at.position - 1 };
        const page = { from: before, order: 'asc', limit: 1, through: share.throughSeq } as const;
        const [found] = await listItemsFrom(trx, owner, threadId, page);
        return found?.id === item ? toShared(share, found) : undefined;
      });
      const part = shown && 'content' in shown ? shown.content[index] : undefined;
      if (!part || part.type === 'text' || part.type === 'hidden') throw new NotFound('There is no such attachment.');
      return attachments.open(owner, part);
    },
  };
}

const noThread = () => new NotFound('There is no such thread.');

const noLink = () => new NotFound('This link does not exist. It may have been revoked.');
