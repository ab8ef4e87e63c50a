import { randomBytes } from 'node:crypto';
import { carryCell } from '#domain/cell/cell.ts';
import { Forbidden, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Share, ShareContent } from '#domain/thread/share.ts';
import { audited } from '#store/audit.ts';
import { withOwner } from '#store/connection.ts';
import { deleteShare, findShare, listShares, putShare } from '#store/threads/shares.ts';
import { listItemsBefore } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { holdThread, noThread } from './hold-thread.ts';
import { createShareReader, type ReaderParts } from './share-reader.ts';

export type Shares = ReturnType<typeof createShares>;

/** The link of a share. It is shown once, and only its hash is stored. */
const newLink = () => carryCell(randomBytes(24).toString('base64url'));

const MOST_LISTED = 500;

/** Read-only links to threads. Missing, revoked and foreign ones all throw `NotFound`. */
export function createShares(parts: ReaderParts) {
  const { db, enabled } = parts;

  return {
    enabled,
    ...createShareReader(parts),

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
      return holdThread(db, owner, id, async (trx) => {
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
  };
}
