import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isAttached } from '#domain/thread/attachment.ts';
import { type ItemBody, type NewItem, partsOf, type TimedItem } from '#domain/thread/item.ts';
import { type TurnVersions, versionsOf } from '#domain/thread/versions.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findItems, vouchForItem } from '#store/threads/items.ts';
import { findItemPosition, type ItemPosition, listItemsBefore } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { listMarked, type Marked } from '#store/threads/turns.ts';
import { listSiblings } from '#store/threads/versions.ts';
import type { Attachments, Base64Of, OpenAttachment } from '../attachments/attachments.ts';
import { noThread } from './hold-thread.ts';

/**
 * `line` grows when another line of turns is shown. `versions`: of the turns on the page, if they have any. `refused`: the turns on
 * the page whose messages were refused at a gate, so that no model reads them. `steered`: those that a message has ended early. `assistants`:
 * those that an assistant answers.
 */
export type ItemsPage = {
  readonly items: readonly TimedItem[];
  readonly line: number;
  readonly versions: readonly TurnVersions[];
  readonly refused: readonly TurnId[];
  readonly steered: readonly TurnId[];
  readonly assistants: Marked['assistants'];
};

/** The items of threads, as their owner reads them. */
export function createThreadItems(db: Database, attachments: Attachments) {
  const find = (owner: Principal, id: ThreadId, item: ItemId) =>
    withOwner(db, owner, (trx) => findItem(trx, owner, id, item));

  return {
    /** The newest `limit` shown items before `before`, the oldest of them first. */
    items: (owner: Principal, id: ThreadId, page: { before: ItemId | undefined; limit: number }): Promise<ItemsPage> =>
      withOwner(db, owner, async (trx) => {
        const thread = await findThread(trx, owner, id);
        if (!thread) throw noThread();
        const { line } = thread;
        const before = page.before && (await getPosition(trx, owner, id, page.before, 'before'));
        const items = await listItemsBefore(trx, owner, id, { before: before || undefined, limit: page.limit });
        const turnIds = new Set(items.map(({ turnId }) => turnId));
        const marked = await listMarked(trx, owner, id, [...turnIds]);
        if (line === 0 || items.length === 0) return { items, line, versions: [], ...marked };
        const versions = versionsOf(await listSiblings(trx, owner, id, [...turnIds]));
        return { items, line, versions: versions.filter(({ turnId }) => turnIds.has(turnId)), ...marked };
      }),

    /** An image or a file of an item. */
    async getAttachment(owner: Principal, id: ThreadId, item: ItemId, index: number): Promise<OpenAttachment> {
      const found = await find(owner, id, item);
      const part = found && partsOf(found)[index];
      if (!part || !isAttached(part)) throw new NotFound('This attachment does not exist.');
      return attachments.open(owner, part);
    },

    /** Reads the bytes of the owner's items. */
    readAttachments: (owner: Principal, items: readonly ItemBody[]): Promise<Base64Of> =>
      attachments.base64Of(owner, items),

    /** All text of an item, such as of a message. */
    async getText(owner: Principal, id: ThreadId, item: ItemId): Promise<string> {
      const found = await find(owner, id, item);
      if (!found) throw noItem();
      return partsOf(found)
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join('\n');
    },

    /** The person has read an item and answers for it, so later turns don't judge calls by it. */
    vouch: (owner: Principal, id: ThreadId, item: ItemId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        const found = await findItem(trx, owner, id, item);
        if (!found) throw noItem();
        const { type } = found;
        if (type !== 'function_call_output' && !(type === 'message' && found.role === 'user'))
          throw new InvalidRequest('invalid_request', null, 'Only a message of a person or an output can be trusted.');
        const entry = { actor: owner.userId, action: 'origin.vouch', subject: item, detail: { thread: id, type } };
        await audited(
          trx,
          (changing) => vouchForItem(changing, owner, id, item),
          (isNew) => (isNew ? entry : 'no right changed'),
        );
      }),
  };
}

async function findItem(
  trx: OwnedTransaction,
  owner: Principal,
  id: ThreadId,
  item: ItemId,
): Promise<NewItem | undefined> {
  const [found] = (await findItemPosition(trx, owner, id, item)) ? await findItems(trx, owner, [item]) : [];
  return found;
}

/** `param`: the parameter of the request that names the item. */
export async function getPosition(
  trx: OwnedTransaction,
  owner: Principal,
  id: ThreadId,
  item: ItemId,
  param: string,
): Promise<ItemPosition> {
  const position = await findItemPosition(trx, owner, id, item);
  if (!position) throw new InvalidRequest('invalid_request', param, `${param} is not an item of this thread.`);
  return position;
}

const noItem = () => new NotFound('This item does not exist.');
