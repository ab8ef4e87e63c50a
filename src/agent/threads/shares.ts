import { randomBytes } from 'node:crypto';
import { carryCell } from '#domain/cell/cell.ts';
import { Forbidden, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import type { Share, ShareContent } from '#domain/thread/share.ts';
import { audited } from '#store/audit.ts';
import { type OwnedTransaction, withOwner } from '#store/connection.ts';
import { deleteShare, findSealedLink, findShare, listShares, putShare } from '#store/threads/shares.ts';
import { listItemsBefore } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';
import { holdThread, noThread } from './hold-thread.ts';
import { createShareReader, type ReaderParts } from './share-reader.ts';

export type Shares = ReturnType<typeof createShares>;

/** `link` is missing if a version before made it, or the key has changed since: then a new one can be made. */
type SharedThread = { readonly share: Share; readonly link: string | undefined };

/** The link of a share. Visitors are compared with its hash; its owner gets it from an encrypted copy. */
const newLink = () => carryCell(randomBytes(24).toString('base64url'));

const MOST_LISTED = 500;

/** Read-only links to threads. Missing, revoked and foreign ones all throw `NotFound`. */
export function createShares(parts: ReaderParts & { readonly links: SealedTexts }) {
  const { db, enabled, links } = parts;

  async function findLink(trx: OwnedTransaction, owner: Principal, id: ThreadId): Promise<string | undefined> {
    const { hash, sealedLink } = (await findSealedLink(trx, owner, id)) ?? {};
    const link = sealedLink ? links.open(owner, sealedLink.toString('base64url')) : undefined;
    // A replica of the version before may have made another one.
    return link !== undefined && hash?.equals(hashSecret(link)) ? link : undefined;
  }

  return {
    enabled,
    ...createShareReader(parts),

    list: (owner: Principal) => withOwner(db, owner, (trx) => listShares(trx, owner, MOST_LISTED)),

    /** The share of a thread, if there is one, and its link, if that can be read. */
    find: (owner: Principal, id: ThreadId): Promise<SharedThread | undefined> =>
      withOwner(db, owner, async (trx) => {
        if (!(await findThread(trx, owner, id))) throw noThread();
        const share = await findShare(trx, owner, id);
        return share && { share, link: await findLink(trx, owner, id) };
      }),

    /** Shares the thread as it is now. */
    async put(
      owner: Principal,
      id: ThreadId,
      content: ShareContent & { readonly newLink: boolean },
    ): Promise<SharedThread> {
      if (!enabled) throw new Forbidden('sharing_off', 'The operator has turned sharing off.');
      return holdThread(db, owner, id, async (trx) => {
        const [last] = await listItemsBefore(trx, owner, id, { before: undefined, limit: 1 });
        if (!last) throw new InvalidRequest('invalid_request', null, 'The thread is empty. Send a message first.');
        const isNew = content.newLink || !(await findShare(trx, owner, id));
        const link = newLink();
        const sealed = Buffer.from(links.seal(owner, link), 'base64url');
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
          (writing) => putShare(writing, owner, wanted, { hash: hashSecret(link), sealed, isNew }),
          { actor: owner.userId, action: 'thread.share', subject: id, detail: { withTools, withAttachments, isNew } },
        );
        return { share, link: isNew ? link : await findLink(trx, owner, id) };
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
