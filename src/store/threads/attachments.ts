import type { AttachmentHash, ObjectKey } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** The bytes are in `content` or in the object `key`. */
export type AttachmentRow = { readonly sha256: AttachmentHash; readonly bytes: number } & (
  | { readonly content: Buffer; readonly key: null }
  | { readonly content: null; readonly key: ObjectKey }
);

/** Keeps the owner's existing attachments for as long as a new upload, and returns which they are. */
export async function touchAttachments(
  trx: OwnedTransaction,
  owner: Owner,
  hashes: readonly AttachmentHash[],
): Promise<AttachmentHash[]> {
  await runStatement(trx, LOCK_OWNER, [owner.userId]);
  const rows = await runStatement<{ sha256: AttachmentHash }>(
    trx,
    `update attachments set idle_since = now() where user_id = $1 and sha256 = any($2::text[]) and is_stored returning sha256`,
    [owner.userId, hashes],
  );
  return rows.map(({ sha256 }) => sha256);
}

// The same key as in `note_idle_attachment`.
const LOCK_OWNER = 'select pg_advisory_xact_lock(8249, hashtext($1) & 1023)';

/** Stores the bytes in PostgreSQL. */
export async function insertAttachment(
  trx: OwnedTransaction,
  owner: Owner,
  sha256: AttachmentHash,
  content: Buffer,
): Promise<void> {
  await runStatement(trx, INSERT, [owner.userId, sha256, content.length, content, null]);
}

/** An upload is complete within minutes. */
const UPLOAD_SECONDS = 3600;

/** Written before an upload: the object is removed later unless `insertObject` takes it. */
export async function announceObject(trx: OwnedTransaction, owner: Owner, key: ObjectKey): Promise<void> {
  await runStatement(
    trx,
    `insert into unused_objects (object_key, user_id, due_at) values ($1, $2, now() + make_interval(secs => $3))`,
    [key, owner.userId, UPLOAD_SECONDS],
  );
}

/** Stores an attachment whose bytes are in an announced object. Returns false if the object is already being removed. */
export async function insertObject(
  trx: OwnedTransaction,
  owner: Owner,
  { sha256, bytes, key }: { readonly sha256: AttachmentHash; readonly bytes: number; readonly key: ObjectKey },
): Promise<boolean> {
  const taken = await runStatement(
    trx,
    `delete from unused_objects where object_key = $1 and user_id = $2 and not is_removing returning 1 as taken`,
    [key, owner.userId],
  );
  if (taken.length === 0) return false;
  const [stored] = await runStatement<{ object_key: ObjectKey | null }>(trx, INSERT, [
    owner.userId,
    sha256,
    bytes,
    null,
    key,
  ]);
  // The same bytes were stored meanwhile, so that this object is not needed.
  if (stored?.object_key !== key)
    await runStatement(trx, 'insert into unused_objects (object_key, user_id) values ($1, $2)', [key, owner.userId]);
  return true;
}

const INSERT = `
  insert into attachments (user_id, sha256, bytes, content, object_key, is_stored) values ($1, $2, $3, $4, $5, true)
  on conflict (user_id, sha256) do update set idle_since = now(), is_stored = true,
    content = case when attachments.is_stored then attachments.content else excluded.content end,
    object_key = case when attachments.is_stored then attachments.object_key else excluded.object_key end
  returning object_key`;

/**
 * The owner's attachments with these hashes, never another user's. An object that was missing before is
 * returned, too: it may be back, for example after a wrong setting was corrected.
 */
export function findAttachments(
  trx: OwnedTransaction,
  owner: Owner,
  hashes: readonly AttachmentHash[],
): Promise<AttachmentRow[]> {
  return runStatement<AttachmentRow>(
    trx,
    `select sha256, bytes, content, object_key as "key" from attachments
     where user_id = $1 and sha256 = any($2::text[]) and (is_stored or object_key is not null)`,
    [owner.userId, hashes],
  );
}

/** Records that the bytes are lost, so that they are stored again when they are sent again. */
export async function markLost(
  trx: OwnedTransaction,
  owner: Owner,
  { sha256, key }: Pick<AttachmentRow, 'sha256' | 'key'>,
): Promise<void> {
  await runStatement(
    trx,
    'update attachments set is_stored = false where user_id = $1 and sha256 = $2 and object_key is not distinct from $3',
    [owner.userId, sha256, key],
  );
}
