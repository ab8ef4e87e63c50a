import type { Cell } from '#domain/cell/cell.ts';
import { InvalidRequest, Misdirected, NotFound } from '#domain/errors.ts';
import type { ItemId } from '#domain/ids.ts';
import { OPERATOR, type UserId } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Item } from '#domain/thread/item.ts';
import { type Share, type SharedItem, toShared } from '#domain/thread/share.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findSharedThread } from '#store/system/shares.ts';
import { findShare } from '#store/threads/shares.ts';
import { findItemPosition, listItemsFrom } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { listMarked } from '#store/threads/turns.ts';
import type { Attachments, OpenAttachment } from '../attachments/attachments.ts';

/** Other texts are not looked up. */
const LINK = /^[\w-]{32}([\da-f]{3})?$/;

export type ReaderParts = {
  readonly db: Database;
  readonly engine: Pick<Engine, 'system'>;
  readonly attachments: Pick<Attachments, 'open'>;
  /** false: the operator has turned links off, also those that exist. */
  readonly enabled: boolean;
  readonly isUser: (id: UserId) => Promise<boolean>;
  /** Finds the cell of a link whose owner has left this one. */
  readonly findCell: (hash: Buffer) => Promise<Cell | undefined>;
};

/** Threads as visitors see them. */
export function createShareReader(parts: ReaderParts) {
  const { db, attachments } = parts;

  return {
    /** A page of the thread, the oldest items first. It can be empty without being the last. */
    async read(
      link: string,
      page: { readonly after: ItemId | undefined; readonly limit: number },
    ): Promise<{ title: string; share: Share; items: SharedItem[]; next: ItemId | undefined }> {
      const { threadId, userId } = await openLink(parts, link);
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
        const turnIds = [...new Set(found.map(({ turnId }) => turnId))];
        const { assistants } = await listMarked(trx, owner, threadId, turnIds);
        const names = new Map(assistants.map(({ turnId, name }) => [turnId, name]));
        const items = found.flatMap((item) => toShared(share, item, names.get(item.turnId)) ?? []);
        const last = found.at(-1);
        const next = found.length === page.limit && last && isBeforeEnd(last, share) ? last.id : undefined;
        const { title, generatedTitle, opening } = thread;
        return { title: title ?? generatedTitle ?? opening, share, items, next };
      });
    },

    /** The bytes of an attachment, if the share includes it. */
    async openAttachment(link: string, item: ItemId, index: number): Promise<OpenAttachment> {
      const { threadId, userId } = await openLink(parts, link);
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
      if (!part || part.type === 'text' || part.type === 'hidden')
        throw new NotFound('This attachment does not exist.');
      return attachments.open(owner, part);
    },
  };
}

/** Links of removed users are closed, though their threads are still stored. */
async function openLink({ engine, enabled, isUser, findCell }: ReaderParts, link: string) {
  const found = enabled && LINK.test(link) ? await findSharedThread(engine.system, hashSecret(link)) : undefined;
  const cell = found || !enabled ? undefined : await findCell(hashSecret(link));
  if (cell !== undefined) throw new Misdirected(cell);
  if (!found || (found.userId !== OPERATOR.userId && !(await isUser(found.userId)))) throw noLink();
  return found;
}

function isBeforeEnd({ turnSeq, position }: Pick<Item, 'turnSeq' | 'position'>, share: Share): boolean {
  return turnSeq < share.throughSeq || (turnSeq === share.throughSeq && position < share.throughPosition);
}

const noLink = () => new NotFound('This link does not exist. It may have been revoked.');
