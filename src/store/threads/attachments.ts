import { sql } from 'kysely';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Item, ItemBody } from '#domain/thread/item.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

export type AttachmentRow = { readonly sha256: AttachmentHash; readonly content: Buffer };

/** Keeps those of the owner's attachments that exist for as long as a new upload, and returns which they are. */
export async function touchAttachments(
  trx: OwnedTransaction,
  owner: Owner,
  hashes: readonly AttachmentHash[],
): Promise<AttachmentHash[]> {
  const rows = await runStatement<{ sha256: AttachmentHash }>(
    trx,
    `update attachments set idle_since = now() where user_id = $1 and sha256 = any($2::text[]) and is_stored returning sha256`,
    [owner.userId, hashes],
  );
  return rows.map(({ sha256 }) => sha256);
}

export async function insertAttachment(
  trx: OwnedTransaction,
  owner: Owner,
  sha256: AttachmentHash,
  content: Buffer,
): Promise<void> {
  await runStatement(
    trx,
    `insert into attachments (user_id, sha256, bytes, content, is_stored) values ($1, $2, $3, $4, true)
     on conflict (user_id, sha256) do update set idle_since = now(), is_stored = true,
       content = case when attachments.is_stored then attachments.content else excluded.content end`,
    [owner.userId, sha256, content.length, content],
  );
}

/** The owner's attachments with these hashes. Those of other users are not found. */
export function findAttachments(
  trx: OwnedTransaction,
  owner: Owner,
  hashes: readonly AttachmentHash[],
): Promise<AttachmentRow[]> {
  return runStatement<AttachmentRow>(
    trx,
    `select sha256, content from attachments where user_id = $1 and sha256 = any($2::text[]) and is_stored`,
    [owner.userId, hashes],
  );
}

/** Records that the bytes are lost, so that they are stored again when they are sent again. */
export async function markLost(trx: OwnedTransaction, owner: Owner, sha256: AttachmentHash): Promise<void> {
  await runStatement(trx, 'update attachments set is_stored = false where user_id = $1 and sha256 = $2', [
    owner.userId,
    sha256,
  ]);
}

/** Replaces the bytes in a stored item by references to them, unless the item was deleted meanwhile. */
export async function moveOutOfItem(
  trx: OwnedTransaction,
  owner: Owner,
  item: Pick<Item, 'id' | 'threadId' | 'turnSeq' | 'position'>,
  body: ItemBody,
  hashes: readonly AttachmentHash[],
): Promise<void> {
  const json = JSON.stringify(body);
  await sql`
    with old as (
      select octet_length(body::text) as bytes from items
      where thread_id = ${item.threadId} and turn_seq = ${item.turnSeq} and position = ${item.position}
        and id = ${item.id} and user_id = ${owner.userId}
    ), changed as (
      update items set body = ${json}::json from old
      where thread_id = ${item.threadId} and turn_seq = ${item.turnSeq} and position = ${item.position}
        and id = ${item.id} and user_id = ${owner.userId}
      returning id, thread_id, user_id, old.bytes
    ), used as (
      insert into attachment_uses (item_id, sha256, thread_id, user_id)
      select id, unnest(${hashes}::text[]), thread_id, user_id from changed on conflict do nothing
    )
    update threads set bytes = greatest(0, threads.bytes - changed.bytes + ${Buffer.byteLength(json)}) from changed
    where threads.id = changed.thread_id and threads.user_id = ${owner.userId}`.execute(trx);
}
